import { jobNames } from '#jobs/index.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { queueLimits, store } from './claim-jobs.ts';
import type { Execute } from './job-state.ts';

/** The open jobs of one name, over all stores. */
export interface JobState {
  readonly queue: string;
  readonly job: string;
  /** Due and not completed: waiting, running, or waiting for the next attempt. */
  readonly due: number;
  /** Since when the oldest of them is due. */
  readonly oldestDueAt: Date | null;
  /** Since when the oldest is due that was not carried to its queue yet, although the queue has room for it. */
  readonly oldestUnrelayedAt: Date | null;
  /** Scheduled for later, or left to another release, because this one does not know them. */
  readonly later: number;
  /** Failed, and waiting for an operator. */
  readonly failed: number;
}

/** The state of each job name that has open jobs. Only open rows are read, so that completed ones cost nothing. */
export async function readJobStates(execute: Execute, now: Date, limits = queueLimits): Promise<JobState[]> {
  return execute<JobState>(sql`
    with open as (
      select queue, ${store} as store, job, due_at,
        case when next_relay_at <= ${now} and job = any(${jobNames}) then 'unrelayed' else 'later' end as state
      from outbox where relays = 0 and next_relay_at is not null
      union all
      select queue, ${store}, job, due_at, case when job = any(${jobNames}) then 'relayed' else 'later' end
      from outbox where relays > 0 and next_relay_at is not null
      union all
      select queue, ${store}, job, due_at, 'failed' from outbox where failed_at is not null),
    held as materialized (
      select queue, ${store} as store, count(*) as jobs from outbox
      where relays > 0 and next_relay_at is not null group by queue, ${store})
    -- A queue counts as full from half of its limits on, because workers make room between two rounds of the relay.
    select queue, job,
      count(*) filter (where state in ('unrelayed', 'relayed'))::int as due,
      min(due_at) filter (where state in ('unrelayed', 'relayed')) as "oldestDueAt",
      min(due_at) filter (where state = 'unrelayed'
        and queue not in (select queue from held group by queue having 2 * sum(jobs) >= ${limits.perQueue})
        and (queue, store) not in (select queue, store from held where 2 * jobs >= ${limits.perStore})
      ) as "oldestUnrelayedAt",
      count(*) filter (where state = 'later')::int as later,
      count(*) filter (where state = 'failed')::int as failed
    from open group by queue, job order by queue, job`);
}

/** A query of what a store's jobs of these names are about that have neither completed nor failed: their `payload`. */
export const openJobsOf = (tenantId: string, jobs: readonly string[]): Sql => sql`
  select payload from outbox where tenant_id = ${tenantId} and job = any(${jobs}) and next_relay_at is not null`;
