import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Forget promises that were kept long ago, and events that nobody is told of any more. */
export const pruneOutbox = defineJob({
  name: 'backoffice.prune-outbox',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 300,
  key: ({ slot }) => String(slot),
});
