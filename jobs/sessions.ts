import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/**
 * Decides whether a requested sign-in link is emailed. The request itself does not look up the customer, so that its
 * response time does not reveal who has an account.
 */
export const mailLink = defineJob({
  name: 'sessions.mail-link',
  queue: 'emails',
  payload: Type.Object({ linkId: Type.String() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 30,
  key: ({ linkId }) => linkId,
});
