import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { orderRetention } from '../orders/index.ts';
import { removeExpired } from '../remove-expired.ts';

/**
 * Events are retained longer than the 30 days for which the provider lists them, so that a sweep finds none of them
 * new. Unpaid sessions are retained as long as a late payment is possible.
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

/** Remove old payment events, sessions and reports, and the holds of expired orders, of all stores. */
export async function pruneEvents(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, [...paymentRetention, ...orderRetention]);
}
