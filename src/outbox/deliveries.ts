import { drainEndpoint } from '#jobs/webhooks.ts';
import { clocksAgreeWithinMs } from '#src/lib/clock.ts';
import { minutes } from '#src/lib/duration.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { isSubscribedTo, type RecordedEvent } from './events.ts';

/*
 * A transaction that records events writes their deliveries with its last statements: one for each subscribed endpoint,
 * and a job for each endpoint that has to be woken. These are the only tables outside the outbox that it knows; passing
 * them in from above would take them through every connection.
 *
 * `woken_at` of an endpoint says that a new delivery needs no job of its own: see `domain/webhooks/endpoint-wakes.ts`.
 */

/**
 * A `woken_at` this old may be of a job that failed: the next delivery enqueues another. One that is as far ahead was
 * written while PostgreSQL's clock was ahead, and so is its job.
 */
const staleAfterMs = minutes(1);

/** The events as rows named `event`. */
const rowsOf = (events: readonly RecordedEvent[]): Sql => sql`
  jsonb_to_recordset(${JSON.stringify(events)}::jsonb) as event(
    id text, tenant_id text, type text, object_id text, at timestamptz, due_at timestamptz, request_id text, trace jsonb)`;

/**
 * Inserts events. From here to the end of the transaction, the final checks of the store's endpoints wait, so that they
 * see its deliveries. The next statement, in turn, sees what earlier checks have written.
 */
export const insertEvents = (events: readonly RecordedEvent[]): Sql => sql`
  with recorded as (
    insert into events (tenant_id, id, type, object_id, created_at)
    select tenant_id, id, type, object_id, at from ${rowsOf(events)}
    returning tenant_id)
  select pg_advisory_xact_lock_shared(${finalCheckOf(sql`id`)})
  from webhook_endpoints where tenant_id in (select tenant_id from recorded)`;

/** The advisory lock that a final check of an endpoint takes. */
export const finalCheckOf = (endpointId: Sql): Sql => sql`hashtextextended(${endpointId}, 0)`;

/**
 * The common table expressions that write the deliveries of events; `woken` has a row for each job that they enqueue.
 * Deliveries to a disabled endpoint are discarded at once, so that they can be recovered later. A paused endpoint is
 * woken when its pause ends.
 *
 * Ids are those of the events, with the number of the endpoint instead of their last characters. The lock keeps an
 * endpoint from being removed while deliveries refer to it.
 */
export function insertDeliveries(events: readonly RecordedEvent[]): Sql {
  const now = new Date(Math.max(...events.map(({ at }) => at.getTime())));
  const [stale, ahead] = [-staleAfterMs, staleAfterMs].map((ms) => new Date(now.getTime() + ms));
  const isAwake = sql`woken_at > ${stale} and woken_at < ${ahead}`;
  return sql`
    subscribed as materialized (
      select event.*, endpoint.id as endpoint_id, endpoint.disabled_at is not null as is_disabled,
        endpoint.breaker_open_until as paused_until
      from ${rowsOf(events)}
        join webhook_endpoints endpoint on endpoint.tenant_id = event.tenant_id and ${isSubscribedTo}
      for key share of endpoint),
    delivery as (
      select *, left(split_part(id, '_', 2), 23)
        || lpad(to_hex(row_number() over (partition by id order by endpoint_id)), 3, '0') as suffix
      from subscribed),
    delivered as (
      insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, state, next_attempt_at, created_at, finished_at)
      select tenant_id, 'whd_' || suffix, endpoint_id, id, case when is_disabled then 'discarded' else 'pending' end,
        case when not is_disabled then due_at end, at, case when is_disabled then at end
      from delivery),
    marked as (
      update webhook_endpoints set woken_at = ${now}
      where (tenant_id, id) in (
        select tenant_id, id from webhook_endpoints
        where (tenant_id, id) in (select tenant_id, endpoint_id from subscribed where not is_disabled)
          and (${isAwake}) is not true and (breaker_open_until > ${now}) is not true
        order by id for no key update)
      returning id),
    wake as (
      select distinct on (endpoint_id) *, greatest(${now}, paused_until) as wake_at,
        -- As long as the time has not come for any machine, a job that was enqueued for it before is still open.
        case when paused_until > ${new Date(now.getTime() + clocksAgreeWithinMs)}
          then to_char(paused_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') else id end as cause_id
      from delivery
      where endpoint_id in (select id from marked) or (paused_until > ${now} and not is_disabled)
      order by endpoint_id, id),
    woken as (
      insert into outbox (id, tenant_id, job, queue, key, payload, due_at, next_relay_at, request_id, trace)
      select 'job_' || suffix, tenant_id, ${drainEndpoint.name}, ${drainEndpoint.queue}, endpoint_id || ':' || cause_id,
        jsonb_build_object('endpointId', endpoint_id, 'causeId', cause_id), wake_at, wake_at, request_id, trace
      from wake
      on conflict (tenant_id, job, key) do nothing returning 1)`;
}
