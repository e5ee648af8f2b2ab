import { asPlatform } from '#src/database/transact.ts';
import { addDays, type Day, dayOf, startOfDay, weekOf } from '#src/lib/calendar.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { InTransaction, PlatformContext } from '../context.ts';
import { ensurePartitions } from './partitions.ts';
import { rollUp } from './roll-up.ts';

export interface Aggregated {
  readonly batches: number;
  /** Those that were not known before. */
  readonly events: number;
}

/** Names a batch among those of all stores. */
export interface BatchKey {
  readonly tenantId: string;
  readonly id: string;
}

/** Which batches to fold: the oldest that wait, at most so many; or one. */
export type Choice = { readonly oldest: number } | { readonly only: BatchKey };

/** Fold some of the batches that came in a time, both ends included: those of its first week. In one transaction. */
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

  return asPlatform(ctx, 'batches of every store are folded together', async (ctx) => {
    // Ids are unique within their week. At its turn an event may stand in a batch of either, so that what is left of
    // the week before is folded by one worker alone, and looked for in the week after it, too.
    await ctx.tx.execute(
      sql`select ${isPast ? aggregateAlone : aggregateShared}, set_config('work_mem', '64MB', true)`,
    );
    return aggregateDays(ctx, week, last, isPast ? [-7, 7] : [-7], choice);
  });
}

/**
 * Fold what came in a week, up to and including a day, in one statement: the ids first; only what they take goes on
 * into the events and the roll-ups; and the batches are gone. `offset 0` has PostgreSQL look each id up rather than read all ids of two weeks.
 */
async function aggregateDays(
  ctx: InTransaction<PlatformContext>,
  week: Day,
  last: Day,
  adjacentWeeks: readonly number[],
  choice: Choice,
): Promise<Aggregated> {
  const chosen = 'only' in choice ? sql`tenant_id = ${choice.only.tenantId} and id = ${choice.only.id}` : sql`true`;
  const [folded] = await ctx.tx.execute<Aggregated>(sql`
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
          and known.week = any(${adjacentWeeks.map((days) => addDays(week, days))}::date[]) offset 0)
      order by i.id, i.tenant_id
      on conflict do nothing
      returning tenant_id, event_id),
    stored as (
      insert into analytics_events (tenant_id, event_id, received_on, received_at, occurred_at, type, source, bot, visitor,
        session_id, anonymous_id, customer_id, order_id, cart_id, product_slug, variant_id, value_cents, currency, properties)
      select i.tenant_id, i.id, (i.received_at at time zone 'UTC')::date, i.received_at, i.at, i.type, i.source, i.bot, i.visitor,
        i.session_id, i.anonymous_id, i.customer_id, i.order_id, i.cart_id, i.product_slug, i.variant_id, i.value_cents,
        i.currency, i.properties
      from incoming i join fresh f on f.tenant_id = i.tenant_id and f.event_id = i.id
      returning tenant_id, occurred_at, type, source, bot, visitor, session_id, anonymous_id, value_cents),
    ${rollUp(sql`stored`)}
    select (select count(*)::int from taken) as batches, (select count(*)::int from stored) as events`);
  return folded ?? { batches: 0, events: 0 };
}

const key = sql`hashtext('analytics fold')`;

/** Held until the transaction ends by whoever folds what comes in; any number may hold it at once. */
const aggregateShared: Sql = sql`pg_advisory_xact_lock_shared(${key})`;

/** Held by whoever must fold or reckon alone: waits for all others, and they for it. */
export const aggregateAlone: Sql = sql`pg_advisory_xact_lock(${key})`;
