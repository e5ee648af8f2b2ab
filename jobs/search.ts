import Type from 'typebox';

import { defineJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** `version` counts what the document was to say. */
const Document = Type.Object({
  kind: Type.Enum(['product', 'content']),
  id: Type.String(),
  version: Type.Integer(),
});
const keyOfDocument = ({ kind, id, version }: Type.Static<typeof Document>) => `${kind}:${id}:${version}`;

/** One round of what comes round. */
const Round = Type.Object({ slot: Type.Integer() });
const keyOfRound = ({ slot }: Type.Static<typeof Round>) => String(slot);

/** Bring the search document of a product or a content entry into line with what it now says. */
export const indexDocument = defineJob({
  name: 'search.index-document',
  queue: 'chores',
  payload: Document,
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 30,
  key: keyOfDocument,
});

/** Have a document embedded whose text has changed. The worker takes others that wait along. */
export const embedDocument = defineJob({
  name: 'search.embed-document',
  queue: 'chores',
  payload: Document,
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: keyOfDocument,
});

/** Find documents that were never embedded, or by another model, or whose embedding was given up. */
export const sweepEmbeddings = defineJob({
  name: 'search.sweep-embeddings',
  queue: 'chores',
  payload: Round,
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: keyOfRound,
});

/** Forget what was searched for in vain long ago. */
export const pruneZeroResultSearches = defineJob({
  name: 'search.prune-misses',
  queue: 'chores',
  payload: Round,
  retry: exponential({ attempts: 3 }),
  timeoutSeconds: 60,
  key: keyOfRound,
});
