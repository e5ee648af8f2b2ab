import { analyticsPersonalData } from '../analytics/index.ts';
import { bulkPersonalData } from '../bulk/index.ts';
import { cartPersonalData } from '../cart/index.ts';
import { catalogPersonalData } from '../catalog/index.ts';
import { customerPersonalData } from '../customers/index.ts';
import { integrationPersonalData } from '../integrations/index.ts';
import { leadPersonalData } from '../leads/index.ts';
import { mailPersonalData } from '../mail/index.ts';
import { orderPersonalData } from '../orders/index.ts';
import { partnerPersonalData } from '../partners/index.ts';
import { paymentPersonalData } from '../payments/index.ts';
import { byEmail, type PersonalData, retainedRows } from '../personal-data.ts';
import { promotionPersonalData } from '../promotions/index.ts';
import { reminderPersonalData } from '../reminders/index.ts';
import { returnPersonalData } from '../returns/index.ts';
import { sessionPersonalData } from '../sessions/index.ts';
import { shippingPersonalData } from '../shipping/index.ts';
import { staffPersonalData } from '../staff/index.ts';
import { subscriptionPersonalData } from '../subscriptions/index.ts';
import { webhookPersonalData } from '../webhooks/index.ts';

/** An erasure loses the email itself, when it is completed. */
const erasures: PersonalData = {
  ...retainedRows({
    table: 'erasures',
    stays: 'That the person was erased, without the email.',
    beside: ['id', 'state', 'email', 'customer_id', 'created_at', 'started_at'],
    of: byEmail('email'),
  }),
  // The one that counts would count itself.
  count: async () => 0,
  columns: ['erasures.email', 'erasures.customer_id'],
};

/**
 * All personal data, in the order in which it is erased: data that is found through other data comes before it.
 */
export const personalData: readonly PersonalData[] = [
  ...sessionPersonalData,
  ...staffPersonalData,
  ...reminderPersonalData,
  ...cartPersonalData,
  ...mailPersonalData,
  ...leadPersonalData,
  ...catalogPersonalData,
  ...promotionPersonalData,
  ...partnerPersonalData,
  ...analyticsPersonalData,
  ...integrationPersonalData,
  ...bulkPersonalData,
  ...webhookPersonalData,
  ...returnPersonalData,
  ...shippingPersonalData,
  ...paymentPersonalData,
  ...subscriptionPersonalData,
  ...orderPersonalData,
  ...customerPersonalData,
  erasures,
];
