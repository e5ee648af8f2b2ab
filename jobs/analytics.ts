import Type from 'typebox';

import { hours } from '#src/lib/duration.ts';
import { defineJob, defineScheduledJob } from './lib/define-job.ts';
import { exponential, never } from './lib/retry.ts';

/** Aggregates the waiting batches into events and roll-ups. Only a tick: the worker finds its rows by query. */
export const aggregateBatches = defineJob({
  name: 'analytics.fold-batches',
  queue: 'analytics',
  payload: Type.Object({}),
  // The next tick is the next attempt.
  retry: never,
  timeoutSeconds: 30,
  key: () => 'tick',
});

/** Aggregates a batch that was quarantined because it could not be aggregated with the others. */
export const aggregateQuarantined = defineJob({
  name: 'analytics.fold-set-aside',
  queue: 'analytics',
  payload: Type.Object({ batchId: Type.String() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ batchId }) => batchId,
});

/** Recomputes the roll-ups of one store and one day from its events. `version` is that of the request. */
export const rebuildDay = defineJob({
  name: 'analytics.rebuild-day',
  queue: 'analytics',
  payload: Type.Object({ day: Type.String(), version: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ day, version }) => `${day}:${version}`,
});

/** Creates the partitions of the coming days. */
export const createPartitions = defineScheduledJob({
  name: 'analytics.create-partitions',
  everyMs: hours(1),
  attempts: 5,
});
