import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeInPortions } from '../remove-in-portions.ts';

/** So long a delivery can be looked at and recovered. */
const keepMs = days(30);

/** Remove deliveries of long ago with their attempts, of all stores. What still waits stays. */
export async function pruneDeliveries(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keepMs);
  await removeInPortions(ctx, 'old deliveries of all stores are removed', (limit) => sql`
    delete from webhook_deliveries where (tenant_id, id) in (
      select tenant_id, id from webhook_deliveries
      where created_at < ${before} and state <> 'pending' order by created_at limit ${limit})
    returning id`);
}
