import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeInPortions } from '../remove-in-portions.ts';

/** So long it can still be told what became of a link or a session. */
const keepMs = days(7);

/** Remove links and sessions that open nothing any more, of all stores. */
export async function pruneSessions(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keepMs);
  await removeInPortions(ctx, 'links and sessions of all stores that are over are removed', (limit) => sql`
    delete from sign_in_links where (tenant_id, id) in (
      select tenant_id, id from sign_in_links
      where expires_at <= ${before} order by expires_at limit ${limit} for update skip locked)
    returning id`);
  await removeInPortions(ctx, 'links and sessions of all stores that are over are removed', (limit) => sql`
    delete from sessions where (tenant_id, id) in (
      select tenant_id, id from sessions
      where refresh_expires_at <= ${before} order by refresh_expires_at limit ${limit} for update skip locked)
    returning id`);
}
