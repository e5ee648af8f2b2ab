import { fanOutEvent } from '#jobs/webhooks.ts';
import { joinSql, type Sql, sql } from '#src/lib/sql.ts';
import { insertJobs, type OutboxJob } from './enqueue.ts';
import { hasSubscriber, type RecordedEvent } from './events.ts';
import { fail, finish } from './job-state.ts';

/** The promise whose outcome a transaction writes. */
export interface CompletedJob {
  readonly outboxId: string;
  /** Set once the commit that keeps it is through. */
  isCompleted: boolean;
}

/** What a transaction leaves for its last statement. */
export interface Closing {
  readonly events: readonly RecordedEvent[];
  readonly jobs: readonly OutboxJob[];
  readonly outcome?: JobOutcome | undefined;
}

/** How the job ended that the transaction belongs to; `failure` says why it failed. */
export interface JobOutcome {
  readonly job: CompletedJob;
  readonly at: Date;
  readonly failure?: string;
}

/** What the closing statement answers. */
export interface Closed {
  /** Whether anything was promised that was not promised before: then the relay is woken. */
  readonly hasNewJobs: boolean;
}

/**
 * The one statement that writes what a transaction recorded, promised and keeps, just before its commit; `undefined`
 * when it did none of it. To tell of an event that nobody listens to is not promised.
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

/** The ids of the events just recorded that no endpoint is to be told of. */
const withoutSubscriber = sql`select event.id from recorded event where not ${hasSubscriber}`;
