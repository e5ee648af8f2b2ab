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
