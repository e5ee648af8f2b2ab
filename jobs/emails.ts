import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/**
 * Attempts to send one email. When the mail server defers it for longer than a queue should hold a job, the next
 * attempt is a new job; so the key contains the email and the number of the attempt.
 */
export const sendMail = defineJob({
  name: 'emails.send-mail',
  queue: 'emails',
  payload: Type.Object({ mailId: Type.String(), attempt: Type.Integer({ minimum: 1 }) }),
  retry: exponential({ attempts: 8, firstDelaySeconds: 2 }),
  timeoutSeconds: 60,
  key: ({ mailId, attempt }) => `${mailId}:${attempt}`,
});
