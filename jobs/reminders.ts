import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Evaluates whether a due reminder of a saved cart is sent. For a postponed one, the next attempt is a new job. */
export const decideReminder = defineJob({
  name: 'reminders.decide-reminder',
  queue: 'reminders',
  payload: Type.Object({ reminderId: Type.String(), attempt: Type.Integer({ minimum: 1 }) }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 30,
  key: ({ reminderId, attempt }) => `${reminderId}:${attempt}`,
});
