import { addDays, dayOf } from '#src/lib/calendar.ts';
import { days } from '#src/lib/duration.ts';
import type { PlatformContext } from '../context.ts';
import { type Retention, removeExpired } from '../remove-expired.ts';
import { dropPartitions, partitionedTables } from './partitions.ts';

/** How long events are stored. */
export const eventsRetainedDays = 90;

/** How long event ids are stored, in whole weeks. A repeated event is counted again after this time. */
export const idsRetainedDays = 28;

/** 25 months, so that a month can be compared with the same month two years before. */
const rollUpsRetainedDays = 762;

export const analyticsRetention: readonly Retention[] = [
  { table: 'analytics_hours', age: 'hour', retainedMs: days(rollUpsRetainedDays) },
  { table: 'analytics_days', age: 'day', retainedMs: days(rollUpsRetainedDays) },
  { table: 'analytics_quarantine', age: 'received_at', retainedMs: days(eventsRetainedDays) },
];

/** Delete expired events and roll-ups of all stores. */
export async function pruneAnalytics(ctx: PlatformContext): Promise<void> {
  const today = dayOf(ctx.clock.now());
  await dropPartitions(ctx, partitionedTables.events, addDays(today, -eventsRetainedDays));
  await dropPartitions(ctx, partitionedTables.sessions, addDays(today, -eventsRetainedDays));
  await dropPartitions(ctx, partitionedTables.ids, addDays(today, -idsRetainedDays));
  await removeExpired(ctx, analyticsRetention);
}
