import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeInPortions } from '../remove-in-portions.ts';

const keptMs = days(30);

/** Forget hints that nobody needs any more, of all stores. */
export async function pruneHints(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keptMs);
  await removeInPortions(ctx, 'hints of every store are forgotten', (limit) => sql`
    delete from shipping_hints where (tenant_id, id) in (
      select tenant_id, id from shipping_hints where received_at < ${before} order by received_at limit ${limit})
    returning id`);
}
