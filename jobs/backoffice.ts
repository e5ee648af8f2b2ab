import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Remove jobs that ended long ago, events that no delivery needs, and what shoppers' visits left behind. */
export const pruneOutbox = defineJob({
  name: 'backoffice.prune-outbox',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 300,
  key: ({ slot }) => String(slot),
});
