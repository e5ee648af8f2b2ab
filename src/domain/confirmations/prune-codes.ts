import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeInPortions } from '../remove-in-portions.ts';

/** Remove one-time passwords that open nothing any more, of all stores. */
export async function pruneCodes(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -days(7));
  await removeInPortions(ctx, 'one-time passwords of all stores that are over are removed', (limit) => sql`
    delete from one_time_passwords where (tenant_id, id) in (
      select tenant_id, id from one_time_passwords
      where created_at <= ${before} order by created_at limit ${limit} for update skip locked)
    returning id`);
}
