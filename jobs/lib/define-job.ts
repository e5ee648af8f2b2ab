import type { Static, TObject } from 'typebox';

import type { QueueName } from '#jobs/queues.ts';
import type { RetryPolicy } from './retry.ts';

/** Everything that a producer and a worker must agree on. Pure data: no handler, no connection. */
export interface JobDefinition<Schema extends TObject = TObject> {
  /** `domain.verb-noun`. Promised jobs outlive deploys, so a shipped name is never changed. */
  readonly name: string;
  readonly queue: QueueName;
  /** Ids only: the row holds the rest, and what it holds may have changed by the time a worker reads it. */
  readonly payload: Schema;
  readonly retry: RetryPolicy;
  /** How long one run may take before it counts as failed. */
  readonly timeoutSeconds: number;
  /** Names one piece of work (a row's id and its attempt or version), never a subject: protocols.md §1. */
  key(payload: Static<Schema>): string;
}

export function defineJob<Schema extends TObject>(definition: JobDefinition<Schema>): JobDefinition<Schema> {
  return Object.freeze(definition);
}
