import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/**
 * Emails the customers on the waitlist of a variant that it is in stock again. `movementId` is the stock movement that
 * restocked it, or the version that was published; `number` the batch of recipients: there may be many.
 */
export const notifyRestock = defineJob({
  name: 'leads.notify-restock',
  queue: 'chores',
  payload: Type.Object({ variantId: Type.String(), movementId: Type.String(), number: Type.Integer({ minimum: 1 }) }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 30,
  key: ({ variantId, movementId, number }) => `${variantId}:${movementId}:${number}`,
});

/**
 * Emails the waitlists of products that were published, where it was not possible before. `version` is that of the
 * first of them. One job for all of them, because nearly always nobody waits.
 */
export const notifyPublished = defineJob({
  name: 'leads.notify-published',
  queue: 'chores',
  payload: Type.Object({ productIds: Type.Array(Type.String(), { minItems: 1 }), version: Type.Integer() }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: ({ productIds: [first = ''], version }) => `${first}:${version}`,
});
