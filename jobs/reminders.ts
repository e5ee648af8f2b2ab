import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Decide whether a reminder of a saved cart is sent, when it is due. One that is put off has a promise of its own. */
export const decideReminder = defineJob({
  name: 'reminders.decide-reminder',
  queue: 'reminders',
  payload: Type.Object({ reminderId: Type.String(), attempt: Type.Integer({ minimum: 1 }) }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 30,
  key: ({ reminderId, attempt }) => `${reminderId}:${attempt}`,
});
