import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';

/** So long a delivery can be looked at and recovered, with its attempts. What still waits stays. */
export const webhookRetention: readonly Retention[] = [
  { table: 'webhook_deliveries', age: 'created_at', retainedMs: days(30), only: sql`old.state <> 'pending'` },
];

/** Remove deliveries of long ago with their attempts, of all stores. */
export async function pruneDeliveries(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, webhookRetention);
}
