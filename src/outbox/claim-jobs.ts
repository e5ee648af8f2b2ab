import { queueNames } from '#jobs/queues.ts';
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
  /** Its place among the jobs that its queue holds of its store, from 1. A job with a lower one runs first. */
  priority: number;
}

export interface DueJobs {
  /** By queue, in the order of `jobs/queues.ts`; in each queue by priority. */
  readonly claims: ClaimedJob[];
  /** Whether jobs are due that were left for a later claim. */
  readonly hasMore: boolean;
}

/** How many open jobs a queue holds. What exceeds it waits as rows. */
export interface QueueLimits {
  /** Of all stores together. */
  readonly perQueue: number;
  readonly perStore: number;
  /** A store that has fewer than this in a queue may add one even if the others have filled it. */
  readonly reserved: number;
}

export const queueLimits: QueueLimits = { perQueue: 1000, perStore: 200, reserved: 8 };

/** As long as fewer are due in a queue, their stores are found by reading them all. */
const crowdedFrom = 100;

/** How long the relay waits after it added a job to its queue before it checks whether the job is still there. */
const healSeconds = 30;
/** How long it waits after each check: not longer each time, so that a job which Redis loses again is soon back. */
const healAgainSeconds = 60;

/** The store of a job as the indexes have it: the jobs that belong to no store count as those of one. */
export const store = sql`coalesce(tenant_id, 'platform')`;

/**
 * Claim due jobs that were never added to a queue. The stores that have any share the room that is left in a queue; of
 * each the oldest jobs are claimed. What it reads depends on the number of stores and on the limits, not on how many
 * jobs are due: as soon as many are, it goes through the stores by index, reading one row of each.
 *
 * The claim is committed before a job is added to its queue, so that no lock is held during calls to Redis. Jobs of a
 * relay that dies in between are claimed again as stale. Relays that claim at the same moment do not see each other's
 * claims: each of them may fill the limits.
 *
 * @param jobs the jobs that this release knows: jobs of a newer release wait for its own relay.
 */
export async function claimDue(
  execute: Execute,
  jobs: readonly string[],
  now: Date,
  limits = queueLimits,
): Promise<DueJobs> {
  const { perQueue, perStore, reserved } = limits;
  const [due = { claims: [], hasMore: false }] = await execute<DueJobs>(sql`
    with recursive
    queue as (select * from unnest(${queueNames}::text[]) with ordinality as queue(name, place)),
    oldest as materialized (
      select queue.name as queue, due.*
      from queue cross join lateral (
        select ${store} as store, next_relay_at as since from outbox
        where queue = queue.name and relays = 0 and next_relay_at <= ${now}
        order by next_relay_at limit ${crowdedFrom}) due),
    crowded as (select queue from oldest group by queue having count(*) = ${crowdedFrom}),
    -- Each store that has rows in a crowded queue, with its oldest: a loose index scan.
    listed as (
      select queue, '' collate "C" as store, null::timestamptz as since from crowded
      union all
      select listed.queue, next.*
      from listed cross join lateral (
        select ${store}, next_relay_at from outbox
        where queue = listed.queue and relays = 0 and next_relay_at is not null and ${store} > listed.store
        order by ${store}, next_relay_at limit 1) next),
    waiting as (
      select queue, store, since from listed where since <= ${now}
      union all
      select queue, store, min(since) from oldest where queue not in (select queue from crowded) group by queue, store),
    relayed as materialized (
      select busy.queue, open.*
      from (select distinct queue from waiting) busy cross join lateral (
        select ${store} as store, count(*)::int as jobs from outbox
        where queue = busy.queue and relays > 0 and next_relay_at is not null
        group by ${store}) open),
    contender as (
      select queue, store, coalesce(relayed.jobs, 0) as relayed, greatest(${perQueue} - coalesce(held.jobs, 0), 0) as free,
        count(*) over (partition by queue) as stores,
        row_number() over (partition by queue order by coalesce(relayed.jobs, 0), since) as rank
      from waiting left join relayed using (queue, store)
        left join (select queue, sum(jobs) as jobs from relayed group by queue) held using (queue)),
    -- The free room is divided evenly, and what remains goes to those that have least.
    share as (
      select queue, store, relayed, greatest(0, least(
        ${perStore} - relayed,
        greatest((free + stores - rank)::int / stores::int, (relayed < ${reserved})::int))) as room
      from contender),
    chosen as materialized (
      select share.*, due.id, row_number() over (partition by queue, store order by since, id) as number
      from share cross join lateral (
        select id, next_relay_at as since from outbox
        where queue = share.queue and ${store} = share.store
          and relays = 0 and next_relay_at <= ${now} and job = any(${jobs})
        order by next_relay_at limit share.room for update skip locked) due),
    claimed as (
      update outbox set relays = 1, next_relay_at = ${now}::timestamptz + make_interval(secs => ${healSeconds})
      where id = any(array(select id from chosen))
      returning id, tenant_id, job, queue, trace, manual)
    select
      (select coalesce(jsonb_agg(jsonb_build_object(
          'id', id, 'tenantId', tenant_id, 'job', job, 'queue', claimed.queue, 'trace', trace, 'isAgain', manual,
          'priority', relayed + number) order by place, relayed + number, id), '[]')
        from claimed join chosen using (id) join queue on queue.name = claimed.queue) as claims,
      exists (select from share where room = 0) or exists (select from chosen where number = room) as "hasMore"`);
  return due;
}

/**
 * Recover from a wiped, restarted or failed-over Redis: claim jobs again that were added to their queue a while ago and
 * have neither completed nor failed. Adding an id that the queue still has does nothing.
 */
export async function claimStale(
  execute: Execute,
  jobs: readonly string[],
  now: Date,
  limit: number,
): Promise<ClaimedJob[]> {
  return execute<ClaimedJob>(sql`
    with claimed as (
      update outbox set relays = relays + 1,
        next_relay_at = ${now}::timestamptz + make_interval(secs => ${healAgainSeconds})
      where id in (
        select id from outbox
        where relays > 0 and next_relay_at <= ${now} and job = any(${jobs})
        order by next_relay_at limit ${limit} for update skip locked)
      returning id, tenant_id, job, queue, trace, due_at)
    select id, tenant_id as "tenantId", job, queue, trace, true as "isAgain",
      row_number() over (partition by queue, tenant_id order by due_at, id)::int as priority
    from claimed order by priority`);
}

/** The jobs of each queue that failed last and wait for an operator, those of `payments` and `labels` first. */
export async function readFailed(
  execute: Execute,
  jobs: readonly string[],
  { limitPerQueue }: { limitPerQueue: number },
): Promise<ClaimedJob[]> {
  return execute<ClaimedJob>(sql`
    select id, tenant_id as "tenantId", job, queue.name as queue, trace, false as "isAgain", 1 as priority
    from unnest(${queueNames}::text[]) with ordinality as queue(name, place) cross join lateral (
      select id, tenant_id, job, trace, failed_at from outbox
      where queue = queue.name and failed_at is not null and job = any(${jobs})
      order by failed_at desc limit ${limitPerQueue}) failed
    order by place, failed_at desc`);
}

/** Release claims of jobs that are in no queue: Redis is unavailable, or this release does not know them. */
export async function returnClaims(execute: Execute, ids: readonly string[], nextRelayAt: Date): Promise<void> {
  await execute(sql`
    update outbox set relays = 0, next_relay_at = ${nextRelayAt}
    where id = any(${ids}) and next_relay_at is not null`);
}
