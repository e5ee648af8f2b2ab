import { addDays, dayOf } from '#src/lib/calendar.ts';
import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';
import { dropPartitions, ensurePartitions, partitionedTables } from './partitions.ts';

/** How long the events themselves are kept. */
export const eventsRetainedDays = 90;

/** An event that is sent again after this many days may be counted again. */
const idsRetainedDays = 28;

/** 25 months, so that a month can be held against the same one of two years before. */
const rollUpsRetainedDays = 762;

export const analyticsRetention: readonly Retention[] = [
  { table: 'analytics_hours', age: 'hour', retainedMs: days(rollUpsRetainedDays) },
  { table: 'analytics_days', age: 'day', retainedMs: days(rollUpsRetainedDays) },
  { table: 'analytics_quarantine', age: 'received_at', retainedMs: days(eventsRetainedDays) },
];

const daysAhead = 7;

/** Make the partitions of the days to come. */
export async function createPartitions(ctx: PlatformContext): Promise<void> {
  const today = dayOf(ctx.clock.now());
  await ensurePartitions(ctx, today, addDays(today, daysAhead));
}

/** Forget events and roll-ups that are older than they are kept, for all stores. */
export async function pruneAnalytics(ctx: PlatformContext): Promise<void> {
  const today = dayOf(ctx.clock.now());
  await dropPartitions(ctx, partitionedTables.events, addDays(today, -eventsRetainedDays));
  await dropPartitions(ctx, partitionedTables.sessions, addDays(today, -eventsRetainedDays));
  await dropPartitions(ctx, partitionedTables.ids, addDays(today, -idsRetainedDays));
  await removeExpired(ctx, analyticsRetention);
}
