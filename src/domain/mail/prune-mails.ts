import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeInPortions } from '../remove-in-portions.ts';

/** So long a shop can see what it wrote to whom. */
const keptMs = days(90);

/** Forget mails of long ago, of all stores. What is still to be sent stays. */
export async function pruneMails(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keptMs);
  await removeInPortions(ctx, 'mails of all stores are forgotten', (limit) => sql`
    delete from mails where (tenant_id, id) in (
      select tenant_id, id from mails
      where created_at < ${before} and state not in ('queued', 'sending') limit ${limit})
    returning id`);
}
