import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Hand what a third party told to whoever here knows that party. */
export const handleCall = defineJob({
  name: 'integrations.handle-call',
  queue: 'chores',
  payload: Type.Object({ callId: Type.String() }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: ({ callId }) => callId,
});

/** Forget calls of long ago, and connections that nobody completed. */
export const pruneIntegrations = defineJob({
  name: 'integrations.prune-integrations',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});
