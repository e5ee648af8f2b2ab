import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential, never } from './lib/retry.ts';

/** Fold the batches that wait, into events and roll-ups. A tick only: the worker finds its rows by query. */
export const aggregateBatches = defineJob({
  name: 'analytics.fold-batches',
  queue: 'analytics',
  payload: Type.Object({}),
  // The next tick is the next try.
  retry: never,
  timeoutSeconds: 30,
  key: () => 'tick',
});

/** Fold a batch that was set aside because it could not be folded with the others. */
export const aggregateQuarantined = defineJob({
  name: 'analytics.fold-set-aside',
  queue: 'analytics',
  payload: Type.Object({ batchId: Type.String() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ batchId }) => batchId,
});

/** Reckon the roll-ups of one store and one day anew from its events. `slot` counts days; `version` is the request's. */
export const rebuildDay = defineJob({
  name: 'analytics.rebuild-day',
  queue: 'analytics',
  payload: Type.Object({ slot: Type.Integer(), version: Type.Integer() }),
  retry: exponential({ attempts: 8 }),
  timeoutSeconds: 60,
  key: ({ slot, version }) => `${slot}:${version}`,
});

/** Make the partitions of the days to come. */
export const createPartitions = defineJob({
  name: 'analytics.create-partitions',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});

/** Forget events and roll-ups that are older than they are kept. */
export const pruneAnalytics = defineJob({
  name: 'analytics.prune-analytics',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 120,
  key: ({ slot }) => String(slot),
});
