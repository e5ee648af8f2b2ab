import { Mail } from '#src/domain/mail/index.ts';
import { Order } from '#src/domain/orders/index.ts';
import { Partner } from '#src/domain/partners/index.ts';
import { PaymentAccountEntity } from '#src/domain/payments/index.ts';
import { GiftCard, PromoCode } from '#src/domain/promotions/index.ts';
import { ReminderSettingsEntity } from '#src/domain/reminders/index.ts';
import { Return } from '#src/domain/returns/index.ts';
import { Label, SecondShippingAccountEntity, ShippingAccountEntity, Tracking } from '#src/domain/shipping/index.ts';
import { Subscription } from '#src/domain/subscriptions/index.ts';
import { TenantEntity } from '#src/domain/tenants/index.ts';
import { WebhookEndpoint } from '#src/domain/webhooks/index.ts';

/** Every entity that the unit of work knows. */
export const entities = [
  TenantEntity,
  PromoCode,
  GiftCard,
  Mail,
  Order,
  Partner,
  ReminderSettingsEntity,
  Subscription,
  PaymentAccountEntity,
  ShippingAccountEntity,
  SecondShippingAccountEntity,
  Label,
  Tracking,
  Return,
  WebhookEndpoint,
];
