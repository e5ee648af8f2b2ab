import { sql } from '#src/lib/sql.ts';
import type { TraceCarrier } from '#src/lib/tracing.ts';
import type { Execute } from './job-state.ts';

/** What the relay carries to a queue. */
export interface ClaimedJob {
  id: string;
  tenantId: string | null;
  job: string;
  queue: string;
  trace: TraceCarrier;
  /** Whether its queue may hold it already, even as failed. */
  isAgain: boolean;
}

/** How long the relay waits after it added a job to its queue before it checks whether the job is still there. */
const firstHealSeconds = 30;
const healSecondsMax = 600;

/**
 * Claim due jobs that were never added to a queue, oldest first. The claim is committed before a job is added to its
 * queue, so that no lock is held during calls to Redis. Jobs of a relay that dies in between are claimed again as
 * stale.
 *
 * @param jobs the jobs that this release knows: jobs of a newer release wait for its own relay.
 */
export async function claimDue(
  execute: Execute,
  jobs: readonly string[],
  now: Date,
  limit: number,
): Promise<ClaimedJob[]> {
  return execute<ClaimedJob>(sql`
    update outbox set relays = 1, next_relay_at = ${now}::timestamptz + make_interval(secs => ${firstHealSeconds})
    where id in (
      select id from outbox
      where relays = 0 and next_relay_at <= ${now} and job = any(${jobs})
      order by next_relay_at limit ${limit} for update skip locked)
    returning id, tenant_id as "tenantId", job, queue, trace, manual as "isAgain"`);
}

/**
 * Recover from a wiped, restarted or failed-over Redis: claim jobs again that were added to their queue a while ago and
 * have neither completed nor failed. Adding an id that the queue still has does nothing. Intervals double up to ten
 * minutes, so that jobs in a long queue are not checked over and over.
 */
export async function claimStale(
  execute: Execute,
  jobs: readonly string[],
  now: Date,
  limit: number,
): Promise<ClaimedJob[]> {
  return execute<ClaimedJob>(sql`
    update outbox set relays = relays + 1,
      next_relay_at = ${now}::timestamptz
        + make_interval(secs => least(${firstHealSeconds} * power(2, least(relays, 10)), ${healSecondsMax}))
    where id in (
      select id from outbox
      where relays > 0 and next_relay_at <= ${now} and job = any(${jobs})
      order by next_relay_at limit ${limit} for update skip locked)
    returning id, tenant_id as "tenantId", job, queue, trace, true as "isAgain"`);
}

/** Release claims of jobs that could not be added because Redis is unavailable. They are due again at once. */
export async function returnClaims(execute: Execute, ids: readonly string[], now: Date): Promise<void> {
  await execute(sql`
    update outbox set relays = 0, next_relay_at = ${now}
    where id = any(${ids}) and next_relay_at is not null`);
}
