import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** Bring the search document of a product or a content entry into line with what it now says. */
export const indexDocument = defineJob({
  name: 'search.index-document',
  queue: 'chores',
  payload: Type.Object({
    kind: Type.Enum(['product', 'content']),
    id: Type.String(),
    version: Type.Integer(),
  }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 30,
  key: ({ kind, id, version }) => `${kind}:${id}:${version}`,
});

/** Have a document embedded whose text has changed; `version` counts its texts. The worker takes others that wait along. */
export const embedDocument = defineJob({
  name: 'search.embed-document',
  queue: 'chores',
  payload: Type.Object({
    kind: Type.Enum(['product', 'content']),
    id: Type.String(),
    version: Type.Integer(),
  }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: ({ kind, id, version }) => `${kind}:${id}:${version}`,
});

/** Find documents that were never embedded, or by another model, or whose embedding was given up. */
export const sweepEmbeddings = defineJob({
  name: 'search.sweep-embeddings',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});

/** Forget what was searched for in vain long ago. */
export const pruneMisses = defineJob({
  name: 'search.prune-misses',
  queue: 'chores',
  payload: Type.Object({ slot: Type.Integer() }),
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: ({ slot }) => String(slot),
});
