import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { orderRetention } from '../orders/index.ts';
import { removeExpired } from '../remove-expired.ts';

/**
 * The provider lists events for 30 days: one that a sweep may still find has to be known. Sessions that nobody paid are
 * kept as long as a late payment is thinkable.
 */
export const paymentRetention: readonly Retention[] = [
  {
    table: 'payment_events',
    age: 'received_at',
    retainedMs: days(40),
    only: sql`old.state <> 'pending'`,
    isAppended: true,
  },
  {
    table: 'payment_sessions',
    age: 'expires_at',
    retainedMs: days(90),
    only: sql`old.state in ('expired', 'failed') and old.check_at is null`,
  },
  { table: 'payment_event_gaps', age: 'finished_at', retainedMs: days(90) },
  { table: 'payment_drift_reports', age: 'created_at', retainedMs: days(90) },
  { table: 'payment_secret_rotations', age: 'created_at', retainedMs: days(90), only: sql`old.state <> 'confirmed'` },
];

/** Remove what the payment provider said long ago, and what expired orders held, of all stores. */
export async function pruneEvents(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, [...paymentRetention, ...orderRetention]);
}
