import { seconds } from '#src/lib/duration.ts';
import { aggregateBatches } from './analytics.ts';
import { jobs } from './index.ts';
import { type JobDefinition, keyOfPeriod, type ScheduledJob } from './lib/define-job.ts';
import { sweepSessions } from './payments.ts';

/**
 * The jobs that recur. Each period of a schedule is enqueued once, however many relays run. After an outage only the
 * current period runs: missed ones are skipped.
 */
export const schedules: readonly ScheduledJob[] = jobs.filter((job) => 'everyMs' in job) as ScheduledJob[];

/** The names of all jobs that run once in a period: the schedules, and what these enqueue for each store. */
export const periodicJobNames: readonly string[] = jobs
  .filter(({ key }) => key === keyOfPeriod)
  .map(({ name }) => name);

/**
 * Jobs that recur so often that a row for each would cost more than they do. BullMQ schedules them, without a row in
 * the outbox: a tick only wakes a worker, which finds its rows by query.
 */
export const tickers: readonly { readonly job: JobDefinition; readonly everyMs: number }[] = [
  { job: aggregateBatches, everyMs: 500 },
  { job: sweepSessions, everyMs: seconds(10) },
];
