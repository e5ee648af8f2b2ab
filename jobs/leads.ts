import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/**
 * Emails the customers on the waitlist of a variant that it is in stock again. `movementId` is the stock movement that
 * restocked it, or the version of its product that was published; `number` the batch of recipients: there may be many.
 */
export const notifyRestock = defineJob({
  name: 'leads.notify-restock',
  queue: 'chores',
  payload: Type.Object({ variantId: Type.String(), movementId: Type.String(), number: Type.Integer({ minimum: 1 }) }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 30,
  key: ({ variantId, movementId, number }) => `${variantId}:${movementId}:${number}`,
});
