import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/**
 * Decides whether a requested sign-in link is emailed. The request itself does not look up the member, so that its
 * response time does not reveal who works for the store.
 */
export const mailStaffLink = defineJob({
  name: 'staff.mail-link',
  queue: 'emails',
  payload: Type.Object({ linkId: Type.String() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 30,
  key: ({ linkId }) => linkId,
});
