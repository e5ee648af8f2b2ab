import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';

/** How long a delivery and its attempts can be read and recovered. Pending ones stay. */
export const webhookRetention: readonly Retention[] = [
  { table: 'webhook_deliveries', age: 'created_at', retainedMs: days(30), only: sql`old.state <> 'pending'` },
];

/** Delete old deliveries with their attempts, for all stores. */
export async function pruneDeliveries(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, webhookRetention);
}
