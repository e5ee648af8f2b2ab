import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/**
 * Try to send one mail. A try that the mail server puts off is followed by a promise of its own, for the wait is
 * longer than a queue should hold it: so a key names a mail and its try.
 */
export const sendMail = defineJob({
  name: 'emails.send-mail',
  queue: 'emails',
  payload: Type.Object({ mailId: Type.String(), attempt: Type.Integer({ minimum: 1 }) }),
  retry: exponential({ attempts: 8, firstDelaySeconds: 2 }),
  timeoutSeconds: 60,
  key: ({ mailId, attempt }) => `${mailId}:${attempt}`,
});

/** Forget mails of long ago. */
export const pruneMails = defineJob({
  name: 'emails.prune-mails',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 300,
  key: ({ slot }) => String(slot),
});
