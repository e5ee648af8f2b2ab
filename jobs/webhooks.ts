import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Write one delivery for each endpoint that chose this event. */
export const fanOutEvent = defineJob({
  name: 'webhooks.fan-out-event',
  queue: 'webhooks',
  payload: Type.Object({ eventId: Type.String() }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 30,
  key: ({ eventId }) => eventId,
});
