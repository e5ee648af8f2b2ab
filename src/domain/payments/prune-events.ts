import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { asPlatform } from '../database.ts';

/** The provider lists events for 30 days: one that a sweep might still find has to be known. */
const keptMs = days(40);
const portion = 5000;
const portionsMax = 200;

/** Forget events that were settled long ago, in portions. */
export async function pruneEvents(ctx: PlatformContext): Promise<void> {
  for (let count = 0; count < portionsMax; count += 1) {
    const removed = await asPlatform(ctx, 'old payment events of every store', (ctx) => ctx.tx.run(sql`
      delete from payment_events where (tenant_id, id) in (
        select tenant_id, id from payment_events
        where received_at < ${fromNow(ctx.clock, -keptMs)} and state <> 'pending' limit ${portion})
      returning 1`));
    if (removed.length < portion) return;
  }
}
