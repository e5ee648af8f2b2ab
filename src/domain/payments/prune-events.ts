import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeInPortions } from '../remove-in-portions.ts';

/** The provider lists events for 30 days: one that a sweep might still find has to be known. */
const keptMs = days(40);

/** Forget events that were settled long ago, of all stores. */
export async function pruneEvents(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keptMs);
  await removeInPortions(ctx, 'old payment events of every store', (limit) => sql`
    delete from payment_events where (tenant_id, id) in (
      select tenant_id, id from payment_events
      where received_at < ${before} and state <> 'pending' limit ${limit})
    returning id`);
}
