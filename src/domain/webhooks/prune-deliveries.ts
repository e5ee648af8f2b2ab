import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { asPlatform } from '../database.ts';

/** So long a delivery can be looked at and recovered. */
const keepMs = days(30);
const batchSize = 2000;
const batchesMax = 50;

/** Remove deliveries of long ago with their attempts, in portions, for all stores. What still waits stays. */
export async function pruneDeliveries(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keepMs);
  for (let batch = 0; batch < batchesMax && !ctx.signal?.aborted; batch += 1) {
    const removed = await asPlatform(ctx, 'old deliveries of all stores are removed', (ctx) => ctx.tx.run(sql`
      delete from webhook_deliveries where (tenant_id, id) in (
        select tenant_id, id from webhook_deliveries
        where created_at < ${before} and state <> 'pending' order by created_at limit ${batchSize})
      returning id`));
    if (removed.length < batchSize) return;
  }
}
