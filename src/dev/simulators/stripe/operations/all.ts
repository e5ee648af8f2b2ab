import { accountOperations } from './account.ts';
import { catalogue } from './catalogue.ts';
import { checkoutSessions } from './checkout-sessions.ts';
import { coupons } from './coupons.ts';
import { customers } from './customers.ts';
import { events } from './events.ts';
import { payments } from './payments.ts';
import { subscriptions } from './subscriptions.ts';

/** Every operation that the simulator offers. */
export const operations = [
  ...accountOperations,
  ...catalogue,
  ...checkoutSessions,
  ...coupons,
  ...customers,
  ...events,
  ...payments,
  ...subscriptions,
];
