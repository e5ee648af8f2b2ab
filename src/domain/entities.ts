import { Mail } from './mail/index.ts';
import { Order } from './orders/index.ts';
import { Partner } from './partners/index.ts';
import { PaymentAccountEntity } from './payments/index.ts';
import { GiftCard, PromoCode } from './promotions/index.ts';
import { Return } from './returns/index.ts';
import { ReminderSettingsEntity } from './reminders/index.ts';
import { Label, SecondShippingAccountEntity, ShippingAccountEntity, Tracking } from './shipping/index.ts';
import { Subscription } from './subscriptions/index.ts';
import { TenantEntity } from './tenants/index.ts';
import { WebhookEndpoint } from './webhooks/index.ts';

/** Every entity that the unit of work knows. */
export const entities = [TenantEntity, PromoCode, GiftCard, Mail, Order, Partner, ReminderSettingsEntity, Subscription, PaymentAccountEntity, ShippingAccountEntity, SecondShippingAccountEntity, Label, Tracking, Return, WebhookEndpoint];
