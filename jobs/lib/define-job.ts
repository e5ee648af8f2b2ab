import Type, { type Static, type TObject } from 'typebox';

import type { QueueName } from '#jobs/queues.ts';
import { exponential, type RetryPolicy } from './retry.ts';

/** Everything that a producer and a worker must agree on. Pure data: no handler, no connection. */
export interface JobDefinition<Schema extends TObject = TObject> {
  /** `domain.verb-noun`. Enqueued jobs outlive deploys, so a shipped name never changes. */
  readonly name: string;
  readonly queue: QueueName;
  /** Ids only: the worker reads the rest from the rows, which may have changed since the job was enqueued. */
  readonly payload: Schema;
  readonly retry: RetryPolicy;
  /** How long one attempt may take before it counts as failed. */
  readonly timeoutSeconds: number;
  /**
   * Identifies one piece of work: a row's id with its attempt or version. A key that named only the row would block
   * every later job for that row, because a second job with the same tenant, name and key is not enqueued.
   */
  key(payload: Static<Schema>): string;
}

export function defineJob<Schema extends TObject>(definition: JobDefinition<Schema>): JobDefinition<Schema> {
  return Object.freeze(definition);
}

/** The payload of jobs that run once in each period: the period's number, counted from 1970. */
export const Period = Type.Object({ period: Type.Integer() });
export const keyOfPeriod = ({ period }: Static<typeof Period>): string => String(period);

/** A job that the relay enqueues by itself, once in each period. */
export interface ScheduledJob extends JobDefinition<typeof Period> {
  /** The length of a period in milliseconds, or `sweep` for the interval that `SWEEP_INTERVAL` sets. */
  readonly everyMs: number | 'sweep';
}

/** What a scheduled job is defined by. */
export interface Schedule extends Pick<ScheduledJob, 'name' | 'everyMs'> {
  readonly queue?: QueueName;
  readonly attempts?: number;
  readonly timeoutSeconds?: number;
}

export function defineScheduledJob(schedule: Schedule): ScheduledJob {
  const { name, queue = 'chores', everyMs, attempts = 3, timeoutSeconds = 60 } = schedule;
  const retry = exponential({ attempts });
  return Object.freeze({ name, queue, everyMs, retry, timeoutSeconds, payload: Period, key: keyOfPeriod });
}
