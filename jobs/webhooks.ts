import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/**
 * Delivers what is due to one endpoint. The job only wakes a worker, which finds its rows by query. `causeId` is
 * the time that it is due if that is to come, so that there is one for each time, and otherwise an event or an id of
 * its own.
 */
export const drainEndpoint = defineJob({
  name: 'webhooks.drain-endpoint',
  queue: 'webhooks',
  payload: Type.Object({ endpointId: Type.String(), causeId: Type.String() }),
  retry: exponential({ attempts: 10 }),
  // 20 s of work, plus the last batch, plus the last call of that batch.
  timeoutSeconds: 60,
  key: ({ endpointId, causeId }) => `${endpointId}:${causeId}`,
});

/** Discards what is left of the pending deliveries of a disabled endpoint. */
export const discardDeliveries = defineJob({
  name: 'webhooks.discard-deliveries',
  queue: 'webhooks',
  payload: Type.Object({ endpointId: Type.String(), causeId: Type.String() }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: ({ endpointId, causeId }) => `${endpointId}:${causeId}`,
});
