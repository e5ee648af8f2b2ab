import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Find out what became of a session whose making was asked for and never answered, and bring its order to rest. */
export const repairSession = defineJob({
  name: 'checkout.repair-session',
  queue: 'payments',
  payload: Type.Object({ orderId: Type.String(), attempt: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ orderId, attempt }) => `${orderId}:${attempt}`,
});
