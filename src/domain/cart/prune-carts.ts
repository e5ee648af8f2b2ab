import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeInPortions } from '../remove-in-portions.ts';

/** So long after nobody finds them any more, carts can still be counted. */
const keptMs = days(30);

/** Remove carts and saved carts that expired long ago, of all stores: a saved cart holds an address. */
export async function pruneCarts(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keptMs);
  for (const table of ['carts', 'saved_carts']) {
    await removeInPortions(ctx, 'expired carts of all stores are removed', (limit) => sql`
      delete from ${rawSql(table)} where (tenant_id, id) in (
        select tenant_id, id from ${rawSql(table)}
        where expires_at <= ${before} order by expires_at limit ${limit} for update skip locked)
      returning id`);
  }
}
