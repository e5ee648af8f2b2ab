import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Passes the call of a third party to the provider that handles it. */
export const handleCall = defineJob({
  name: 'integrations.handle-call',
  queue: 'chores',
  payload: Type.Object({ callId: Type.String() }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: ({ callId }) => callId,
});
