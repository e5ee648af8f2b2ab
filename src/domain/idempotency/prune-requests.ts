import { fromNow } from '#src/lib/clock.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeInPortions } from '../remove-in-portions.ts';
import { keepMs } from './claim-request.ts';

/** Remove the requests of yesterday, of all stores. */
export async function pruneRequests(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keepMs);
  await removeInPortions(ctx, 'keyed requests of all stores are forgotten', (limit) => sql`
    delete from idempotency_keys where (tenant_id, id) in (
      select tenant_id, id from idempotency_keys
      where created_at <= ${before} order by created_at limit ${limit} for update skip locked)
    returning id`);
}
