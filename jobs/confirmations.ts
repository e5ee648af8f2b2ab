import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Remove one-time passwords that open nothing any more. */
export const pruneCodes = defineJob({
  name: 'confirmations.prune-codes',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});
