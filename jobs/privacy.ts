import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Previews an erasure, or erases a person in short batches. `number` counts the jobs of one erasure. */
export const eraseDataSubject = defineJob({
  name: 'privacy.erase-data-subject',
  queue: 'bulk',
  payload: Type.Object({ erasureId: Type.String(), number: Type.Integer() }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 300,
  key: ({ erasureId, number }) => `${erasureId}:${number}`,
});

/** Writes the file of what is stored about a person. */
export const exportDataSubject = defineJob({
  name: 'privacy.export-data-subject',
  queue: 'bulk',
  payload: Type.Object({ operationId: Type.String() }),
  retry: exponential({ attempts: 5 }),
  timeoutSeconds: 300,
  key: ({ operationId }) => operationId,
});
