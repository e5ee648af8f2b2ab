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

/** How long a relayed promise is left to its queue before the relay looks whether it is still there. */
const firstHealSeconds = 30;
const healSecondsMax = 600;

/**
 * Claim promises that are due and were never relayed, oldest first. The claim is committed before anything is added
 * to a queue, so no lock is held across Redis; a relay that dies in between is healed like a wiped Redis.
 *
 * @param jobs the jobs that this release knows: a newer release's promises wait for its own relay.
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
 * The one rule that heals a wiped, restarted or failed-over Redis: claim again what was relayed a while ago and is
 * neither finished nor failed. Adding an id that its queue still holds does nothing. Intervals double up to ten
 * minutes, so that a long queue is not asked about over and over.
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

/** Give claims back that could not be added: Redis is away. They are due at once again. */
export async function returnClaims(execute: Execute, ids: readonly string[], now: Date): Promise<void> {
  await execute(sql`
    update outbox set relays = 0, next_relay_at = ${now}
    where id = any(${ids}) and next_relay_at is not null`);
}
