import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeInPortions } from '../remove-in-portions.ts';

/** So long it can be looked up what a third party told. */
const keepMs = days(30);

/** Remove calls of long ago, and connections that nobody completed, of all stores. What waits stays. */
export async function pruneIntegrations(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keepMs);
  await removeInPortions(ctx, 'old calls and lapsed connections of all stores are removed', (limit) => sql`
    delete from integration_calls where (tenant_id, id) in (
      select tenant_id, id from integration_calls
      where received_at < ${before} and state <> 'received' order by received_at limit ${limit})
    returning id`);
  await removeInPortions(ctx, 'old calls and lapsed connections of all stores are removed', (limit) => sql`
    delete from integration_connections where (tenant_id, id) in (
      select tenant_id, id from integration_connections
      where expires_at < ${before} and received_at is null order by expires_at limit ${limit})
    returning id`);
}
