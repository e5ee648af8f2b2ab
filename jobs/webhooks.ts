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

/**
 * Deliver what is due to one endpoint. The job only wakes a worker, which finds its rows by query; `causeId` names
 * what woke it (an event, a try of a delivery, the end of a pause), so that no two wake-ups are ever taken for one.
 */
export const drainEndpoint = defineJob({
  name: 'webhooks.drain-endpoint',
  queue: 'webhooks',
  payload: Type.Object({ endpointId: Type.String(), causeId: Type.String() }),
  retry: exponential({ attempts: 10 }),
  // 20 s of work, the last batch begun just before their end, and its last call just before the batch's.
  timeoutSeconds: 60,
  key: ({ endpointId, causeId }) => `${endpointId}:${causeId}`,
});

/** Remove deliveries of long ago, with their attempts. */
export const pruneDeliveries = defineJob({
  name: 'webhooks.prune-deliveries',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});
