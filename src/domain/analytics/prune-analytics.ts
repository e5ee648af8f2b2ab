import { addDays, dayOf, startOfDay } from '#src/lib/calendar.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeInPortions } from '../remove-in-portions.ts';
import { dropPartitions, ensurePartitions, partitionedTables } from './partitions.ts';

/** How long the events themselves are kept. */
export const eventsKeptDays = 90;

/** An event that is sent again after this many days may be counted again. */
const idsKeptDays = 28;

/** 25 months, so that a month can be held against the same one of two years before. */
const rollUpsKeptDays = 762;

const daysAhead = 7;

/** Make the partitions of the days to come. */
export async function createPartitions(ctx: PlatformContext): Promise<void> {
  const today = dayOf(ctx.clock.now());
  await ensurePartitions(ctx, today, addDays(today, daysAhead));
}

/** Forget events and roll-ups that are older than they are kept, for all stores. */
export async function pruneAnalytics(ctx: PlatformContext): Promise<void> {
  const today = dayOf(ctx.clock.now());
  await dropPartitions(ctx, partitionedTables.events, addDays(today, -eventsKeptDays));
  await dropPartitions(ctx, partitionedTables.sessions, addDays(today, -eventsKeptDays));
  await dropPartitions(ctx, partitionedTables.ids, addDays(today, -idsKeptDays));
  await pruneRows(ctx, 'analytics_hours', 'hour', rollUpsKeptDays);
  await pruneRows(ctx, 'analytics_days', 'day', rollUpsKeptDays);
  await pruneRows(ctx, 'analytics_set_aside', 'received_at', eventsKeptDays);
}

async function pruneRows(ctx: PlatformContext, table: string, column: string, keptDays: number): Promise<void> {
  const before = startOfDay(addDays(dayOf(ctx.clock.now()), -keptDays));
  await removeInPortions(ctx, 'what was counted of all stores grows old', (limit) => sql`
    delete from ${rawSql(table)} where ctid = any(array(
      select ctid from ${rawSql(table)} where ${rawSql(column)} < ${before} order by ${rawSql(column)} limit ${limit}))
    returning 1`);
}
