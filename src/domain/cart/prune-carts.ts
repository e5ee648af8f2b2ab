import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { asPlatform } from '../database.ts';

/** So long after nobody finds them any more, carts can still be counted. */
const keepMs = days(30);
const batchSize = 1000;
const batchesMax = 100;

/** Remove carts and saved carts that expired long ago, in portions, for all stores: a saved cart holds an address. */
export async function pruneCarts(ctx: PlatformContext): Promise<void> {
  for (const table of ['carts', 'saved_carts']) await prune(ctx, table);
}

async function prune(ctx: PlatformContext, table: string): Promise<void> {
  const before = fromNow(ctx.clock, -keepMs);
  for (let batch = 0; batch < batchesMax && !ctx.signal?.aborted; batch += 1) {
    const removed = await asPlatform(ctx, 'expired carts of all stores are removed', (ctx) => ctx.tx.run(sql`
      delete from ${rawSql(table)} where (tenant_id, id) in (
        select tenant_id, id from ${rawSql(table)}
        where expires_at <= ${before} order by expires_at limit ${batchSize} for update skip locked)
      returning id`));
    if (removed.length < batchSize) return;
  }
}
