import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** `number` counts the runs of one operation: each lasts some seconds and enqueues the next. */
const Slice = Type.Object({ operationId: Type.String(), number: Type.Integer() });
const keyOfSlice = ({ operationId, number }: Type.Static<typeof Slice>) => `${operationId}:${number}`;

/** Divides the file of an import into batches of rows, from where the previous run stopped. */
export const readImport = defineJob({
  name: 'bulk.read-import',
  queue: 'bulk',
  payload: Slice,
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: keyOfSlice,
});

/** Applies batches of an import or a bulk change, one transaction each. */
export const applyBatches = defineJob({
  name: 'bulk.apply-batches',
  queue: 'bulk',
  payload: Slice,
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: keyOfSlice,
});

/** Cancels a subscription at the payment provider. `number` is its place among those that a bulk change selected. */
export const cancelSubscription = defineJob({
  name: 'bulk.cancel-subscription',
  queue: 'bulk',
  payload: Type.Object({ operationId: Type.String(), number: Type.Integer(), subscriptionId: Type.String() }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: ({ operationId, subscriptionId }) => `${operationId}:${subscriptionId}`,
});

/** Writes the file of an export, all of it in one run: a snapshot ends with its transaction. */
export const writeExport = defineJob({
  name: 'bulk.write-export',
  queue: 'bulk',
  payload: Type.Object({ operationId: Type.String() }),
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 300,
  key: ({ operationId }) => operationId,
});
