import { asPlatform } from '#src/database/transact.ts';
import { addDays, type Day, dayOf, startOfDay, weekOf } from '#src/lib/calendar.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { InTransaction, PlatformContext } from '../context.ts';
import { ensurePartitions } from './partitions.ts';
import { idsRetainedDays } from './retention.ts';
import { rollUp } from './roll-up.ts';

export interface Aggregated {
  readonly batches: number;
  /** Without those that had been received before. */
  readonly events: number;
}

/** Identifies a batch among those of all stores. */
export interface BatchKey {
  readonly tenantId: string;
  readonly id: string;
}

/** Which batches to aggregate: the oldest ones, at most this many, or only one. */
export type Choice = { readonly oldest: number } | { readonly only: BatchKey };

/** The weeks after a week, and before it, of which ids may be stored with its own, in days from it. */
const weeksAfter = Array.from({ length: idsRetainedDays / 7 }, (_, index) => 7 * (index + 1));
const weeksBefore = weeksAfter.map((days) => -days);

/**
 * Aggregate batches that were received in a time range, both ends included, in one transaction. Of a range over several
 * weeks only the first week is aggregated.
 */
export async function aggregateChosen(
  ctx: PlatformContext,
  { oldestAt, newestAt }: { readonly oldestAt: Date; readonly newestAt: Date },
  choice: Choice,
): Promise<Aggregated> {
  const first = dayOf(oldestAt);
  const week = weekOf(first);
  const last = [addDays(week, 6), dayOf(newestAt)].toSorted()[0] ?? first;
  const isPast = week < weekOf(dayOf(ctx.clock.now()));
  await ensurePartitions(ctx, first, last);

  return asPlatform(ctx, 'batches of all stores are aggregated together', async (ctx) => {
    // Event ids are unique within a week, so they are looked up in the weeks before, too. At the turn of a week an event
    // may be in batches of both weeks. So batches left over from a past week are aggregated exclusively, and their ids
    // are also looked up in the weeks after.
    await ctx.tx.execute(
      sql`select ${isPast ? aggregateAlone : aggregateShared}, set_config('work_mem', '64MB', true)`,
    );
    return aggregateDays(ctx, week, last, isPast ? [...weeksBefore, ...weeksAfter] : weeksBefore, choice);
  });
}

/**
 * Aggregate what was received in a week, up to and including a day, in one statement: it deletes the batches, inserts
 * the ids, and adds only events with a new id to the events and roll-ups. `offset 0` makes PostgreSQL look up each id
 * instead of reading all ids of those weeks.
 * @param otherWeeks in which other weeks the ids are looked up, in days from this week
 */
async function aggregateDays(
  ctx: InTransaction<PlatformContext>,
  week: Day,
  last: Day,
  otherWeeks: readonly number[],
  choice: Choice,
): Promise<Aggregated> {
  const chosen = 'only' in choice ? sql`tenant_id = ${choice.only.tenantId} and id = ${choice.only.id}` : sql`true`;
  const [aggregated] = await ctx.tx.execute<Aggregated>(sql`
    with taken as materialized (
      delete from analytics_batches b using (
        select tenant_id, id from analytics_batches
        where received_at >= ${startOfDay(week)} and received_at < ${startOfDay(addDays(last, 1))} and ${chosen}
        order by received_at limit ${'oldest' in choice ? choice.oldest : 1} for update skip locked) as chosen
      where b.tenant_id = chosen.tenant_id and b.id = chosen.id
      returning b.tenant_id, b.received_at, b.source, b.bot, b.visitor, b.events),
    incoming as materialized (
      select distinct on (e.id, b.tenant_id) b.tenant_id, b.received_at, b.source, b.bot, b.visitor, e.*
      from taken b, lateral json_to_recordset(b.events) as e(
        id uuid, at timestamptz, type text, session_id text, anonymous_id text, customer_id text, order_id text,
        cart_id text, product_slug text, variant_id text, value_cents bigint, currency text, properties jsonb)
      order by e.id, b.tenant_id, b.received_at),
    fresh as (
      insert into analytics_event_ids (tenant_id, event_id, week)
      select i.tenant_id, i.id, ${week}::date from incoming i
      where not exists (
        select from analytics_event_ids known
        where known.tenant_id = i.tenant_id and known.event_id = i.id
          and known.week = any(${otherWeeks.map((days) => addDays(week, days))}::date[]) offset 0)
      order by i.id, i.tenant_id
      on conflict do nothing
      returning tenant_id, event_id),
    stored as (
      insert into analytics_events (tenant_id, event_id, received_on, received_at, occurred_at, type, source, bot,
        visitor, session_id, anonymous_id, customer_id, order_id, cart_id, product_slug, variant_id, value_cents,
        currency, properties)
      select i.tenant_id, i.id, (i.received_at at time zone 'UTC')::date, i.received_at, i.at, i.type,
        i.source, i.bot, i.visitor, i.session_id, i.anonymous_id, i.customer_id, i.order_id, i.cart_id,
        i.product_slug, i.variant_id, i.value_cents,
        i.currency, i.properties
      from incoming i join fresh f on f.tenant_id = i.tenant_id and f.event_id = i.id
      returning tenant_id, occurred_at, type, source, bot, visitor, session_id, anonymous_id, value_cents),
    ${rollUp(sql`stored`)}
    select (select count(*)::int from taken) as batches, (select count(*)::int from stored) as events`);
  return aggregated ?? { batches: 0, events: 0 };
}

const key = sql`hashtext('analytics aggregation')`;

/** The lock of a transaction that aggregates new batches. Any number of transactions may hold it. */
const aggregateShared: Sql = sql`pg_advisory_xact_lock_shared(${key})`;

/** The lock of a transaction that must aggregate or recalculate exclusively. */
export const aggregateAlone: Sql = sql`pg_advisory_xact_lock(${key})`;
