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

/** Applies batches of an import, one transaction each. */
export const applyImport = defineJob({
  name: 'bulk.apply-import',
  queue: 'bulk',
  payload: Slice,
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: keyOfSlice,
});
