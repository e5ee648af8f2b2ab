import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Finds out whether a checkout session was created although the provider did not respond, and completes its order. */
export const repairSession = defineJob({
  name: 'checkout.repair-session',
  queue: 'payments',
  payload: Type.Object({ orderId: Type.String(), attempt: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ orderId, attempt }) => `${orderId}:${attempt}`,
});
