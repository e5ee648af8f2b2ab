import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Decide whether whoever asked for a link to sign in gets one. The request itself knows nobody. */
export const mailLink = defineJob({
  name: 'sessions.mail-link',
  queue: 'emails',
  payload: Type.Object({ linkId: Type.String() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 30,
  key: ({ linkId }) => linkId,
});

/** Remove links and sessions that open nothing any more. */
export const pruneSessions = defineJob({
  name: 'sessions.prune-sessions',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 120,
  key: ({ slot }) => String(slot),
});
