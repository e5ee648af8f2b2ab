import Type from 'typebox';

import { minutes } from '#src/lib/duration.ts';
import { defineJob, defineScheduledJob } from './lib/define-job.ts';
import { exponential } from './lib/retry.ts';

/** `version` counts the changes of the document. */
const Document = Type.Object({
  kind: Type.Enum(['product', 'content']),
  id: Type.String(),
  version: Type.Integer(),
});
const keyOfDocument = ({ kind, id, version }: Type.Static<typeof Document>) => `${kind}:${id}:${version}`;

/** Updates the search document of a product or a content entry. */
export const indexDocument = defineJob({
  name: 'search.index-document',
  queue: 'chores',
  payload: Document,
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 30,
  key: keyOfDocument,
});

/**
 * Updates the search documents of things that were saved together. `version` is that of the first of them, or less than
 * zero where they are indexed again without a change of their own.
 */
export const indexDocuments = defineJob({
  name: 'search.index-documents',
  queue: 'chores',
  payload: Type.Object({
    kind: Document.properties.kind,
    documentIds: Type.Array(Type.String(), { minItems: 1 }),
    version: Type.Integer(),
  }),
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: ({ kind, documentIds: [first = ''], version }) => keyOfDocument({ kind, id: first, version }),
});

/** Embeds a document whose text has changed. The worker includes other waiting documents in the same request. */
export const embedDocument = defineJob({
  name: 'search.embed-document',
  queue: 'chores',
  payload: Document,
  retry: exponential({ attempts: 10 }),
  timeoutSeconds: 60,
  key: keyOfDocument,
});

/** Enqueues documents without an embedding of the current model, or whose embedding failed. */
export const sweepEmbeddings = defineScheduledJob({
  name: 'search.sweep-embeddings',
  everyMs: minutes(15),
});
