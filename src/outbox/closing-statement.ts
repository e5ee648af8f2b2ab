import { joinSql, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import { insertDeliveries, insertEvents } from './deliveries.ts';
import { insertJobs, type OutboxJob } from './enqueue.ts';
import type { RecordedEvent } from './events.ts';
import { fail, finish, type JobRound } from './job-state.ts';

/** The job whose outcome a transaction writes. */
export interface CompletedJob extends JobRound {
  /** Set once the transaction that completes the job is committed. */
  isCompleted: boolean;
}

/** What a transaction leaves for its last statements. */
export interface Closing {
  /** Inserts and updates that nothing in the transaction reads, and none of which depends on another. */
  readonly changes: readonly Sql[];
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
 * The statements that write the changes, events, deliveries, new jobs and job outcome of a transaction, just before its
 * commit; none when there are none. The last one returns `Closed`.
 */
export function closingStatements({ changes, events, jobs, outcome }: Closing): Sql[] {
  const { once, repeated } = byText(changes);
  const parts = once.map((change, index) => sql`${rawSql(`change${index}`)} as (${change})`);
  if (events.length > 0) parts.push(insertDeliveries(events));
  if (jobs.length > 0) parts.push(sql`enqueued as (${insertJobs(jobs)} returning 1)`);
  if (outcome) parts.push(sql`ended as (${end(outcome)})`);
  if (parts.length === 0) return [];
  const hasWoken = events.length > 0 ? sql`exists (select from woken)` : sql`false`;
  const hasEnqueued = jobs.length > 0 ? sql`exists (select from enqueued)` : sql`false`;
  const closing = sql`with ${joinSql(parts, ', ')} select ${hasWoken} or ${hasEnqueued} as "hasNewJobs"`;
  return [...repeated, ...(events.length > 0 ? [insertEvents(events)] : []), closing];
}

/**
 * One change of each text, in a fixed order, and those that repeat a text: the last statement must not have another text,
 * and so another plan, for each number and order of changes.
 */
function byText(changes: readonly Sql[]): { readonly once: readonly Sql[]; readonly repeated: readonly Sql[] } {
  const first = new Map<string, Sql>();
  const repeated: Sql[] = [];
  for (const change of changes) {
    const { text } = change;
    if (first.has(text)) repeated.push(change);
    else first.set(text, change);
  }
  const once = [...first].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, change]) => change);
  return { once, repeated };
}

function end({ job, at, failure }: JobOutcome): Sql {
  return failure === undefined ? finish(job.outboxId, at) : fail(job, at, failure);
}
