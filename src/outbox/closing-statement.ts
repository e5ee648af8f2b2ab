import { fanOutEvent } from '#jobs/webhooks.ts';
import { joinSql, type Sql, sql } from '#src/lib/sql.ts';
import { insertJobs, type OutboxJob } from './enqueue.ts';
import { hasSubscriber, type RecordedEvent } from './events.ts';
import { fail, finish } from './job-state.ts';

/** The job whose outcome a transaction writes. */
export interface CompletedJob {
  readonly outboxId: string;
  /** Set once the transaction that completes the job is committed. */
  isCompleted: boolean;
}

/** What a transaction leaves for its last statement. */
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

/** The row that the closing statement returns. */
export interface Closed {
  /** Whether a new job was enqueued: then the relay is woken. */
  readonly hasNewJobs: boolean;
}

/**
 * The statement that writes the events, new jobs and job outcome of a transaction, just before its commit; `undefined`
 * when there are none. Events without a subscriber enqueue no fan-out job.
 */
export function closingStatement({ events, jobs, outcome }: Closing): Sql | undefined {
  const changes: Sql[] = [];
  if (events.length > 0) changes.push(sql`recorded as (${record(events)})`);
  if (jobs.length > 0) {
    const wanted =
      events.length > 0 ? sql`not (job = ${fanOutEvent.name} and key in (${withoutSubscriber}))` : sql`true`;
    changes.push(sql`enqueued as (${insertJobs(jobs, wanted)} returning 1)`);
  }
  if (outcome) changes.push(sql`ended as (${end(outcome)})`);
  const hasNewJobs = jobs.length > 0 ? sql`exists (select from enqueued)` : sql`false`;
  return changes.length > 0 ? sql`with ${joinSql(changes, ', ')} select ${hasNewJobs} as "hasNewJobs"` : undefined;
}

function end({ job: { outboxId }, at, failure }: JobOutcome): Sql {
  return failure === undefined ? finish(outboxId, at) : fail(outboxId, at, failure);
}

function record(events: readonly RecordedEvent[]): Sql {
  return sql`
    insert into events (tenant_id, id, type, object_id, created_at)
    select * from jsonb_to_recordset(${JSON.stringify(events)}::jsonb)
      as event("tenantId" text, id text, type text, "objectId" text, at timestamptz)
    returning tenant_id, id, type, object_id`;
}

/** The ids of the recorded events that no endpoint is subscribed to. */
const withoutSubscriber = sql`select event.id from recorded event where not ${hasSubscriber}`;
