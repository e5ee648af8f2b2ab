import { joinSql, type Sql, sql } from '#src/lib/sql.ts';
import { insertDeliveries, insertEvents } from './deliveries.ts';
import { insertJobs, type OutboxJob } from './enqueue.ts';
import type { RecordedEvent } from './events.ts';
import { fail, finish } from './job-state.ts';

/** The job whose outcome a transaction writes. */
export interface CompletedJob {
  readonly outboxId: string;
  /** Set once the transaction that completes the job is committed. */
  isCompleted: boolean;
}

/** What a transaction leaves for its last statements. */
export interface Closing {
  readonly events: readonly RecordedEvent[];
  readonly jobs: readonly OutboxJob[];
  readonly outcome?: JobOutcome | undefined;
}

/** The outcome of the job that the transaction belongs to; `failure` says why it failed. */
export interface JobOutcome {
  readonly job: CompletedJob;
  readonly at: Date;
  readonly failure?: string;
}

/** What the last statement returns. */
export interface Closed {
  /** Whether a new job was enqueued: then the relay is woken. */
  readonly hasNewJobs: boolean;
}

/**
 * The statements that write the events, deliveries, new jobs and job outcome of a transaction, just before its commit;
 * none when there are none. The last one returns `Closed`.
 */
export function closingStatements({ events, jobs, outcome }: Closing): Sql[] {
  const changes: Sql[] = [];
  if (events.length > 0) changes.push(insertDeliveries(events));
  if (jobs.length > 0) changes.push(sql`enqueued as (${insertJobs(jobs)} returning 1)`);
  if (outcome) changes.push(sql`ended as (${end(outcome)})`);
  if (changes.length === 0) return [];
  const hasWoken = events.length > 0 ? sql`exists (select from woken)` : sql`false`;
  const hasEnqueued = jobs.length > 0 ? sql`exists (select from enqueued)` : sql`false`;
  const closing = sql`with ${joinSql(changes, ', ')} select ${hasWoken} or ${hasEnqueued} as "hasNewJobs"`;
  return events.length > 0 ? [insertEvents(events), closing] : [closing];
}

function end({ job: { outboxId }, at, failure }: JobOutcome): Sql {
  return failure === undefined ? finish(outboxId, at) : fail(outboxId, at, failure);
}
