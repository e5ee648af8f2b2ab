import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/**
 * Tell who waits for a variant that it can be had again. A movement of stock names the occasion, and `number` the
 * portion of those who wait: they may be many.
 */
export const notifyRestock = defineJob({
  name: 'leads.notify-restock',
  queue: 'chores',
  payload: Type.Object({ variantId: Type.String(), movementId: Type.String(), number: Type.Integer({ minimum: 1 }) }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 30,
  key: ({ variantId, movementId, number }) => `${variantId}:${movementId}:${number}`,
});
