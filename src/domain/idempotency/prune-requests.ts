import { fromNow } from '#src/lib/clock.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { asPlatform } from '../database.ts';
import { keepMs } from './claim-request.ts';

const batchSize = 2000;
const batchesMax = 100;

/** Remove the requests of yesterday, in portions, for all stores. */
export async function pruneRequests(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keepMs);
  for (let batch = 0; batch < batchesMax && !ctx.signal?.aborted; batch += 1) {
    const removed = await asPlatform(ctx, 'keyed requests of all stores are forgotten', (ctx) => ctx.tx.run(sql`
      delete from idempotency_keys where (tenant_id, id) in (
        select tenant_id, id from idempotency_keys
        where created_at <= ${before} order by created_at limit ${batchSize} for update skip locked)
      returning id`));
    if (removed.length < batchSize) return;
  }
}
