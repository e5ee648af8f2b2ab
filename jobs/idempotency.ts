import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Forget the Idempotency-Keys of yesterday, with what they were answered. */
export const pruneRequests = defineJob({
  name: 'idempotency.prune-requests',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});
