import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { asPlatform } from '../database.ts';
import { removeInPortions } from '../remove-in-portions.ts';

/** So long it can be looked up what a third party told. */
const keepMs = days(30);

/** Remove calls of long ago, and connections that nobody completed, in portions, for all stores. What waits stays. */
export async function pruneIntegrations(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keepMs);
  await prune(ctx, (limit) => sql`
    delete from integration_calls where (tenant_id, id) in (
      select tenant_id, id from integration_calls
      where received_at < ${before} and state <> 'received' order by received_at limit ${limit})
    returning id`);
  await prune(ctx, (limit) => sql`
    delete from integration_connections where (tenant_id, id) in (
      select tenant_id, id from integration_connections
      where expires_at < ${before} and received_at is null order by expires_at limit ${limit})
    returning id`);
}

async function prune(ctx: PlatformContext, portion: (limit: number) => Sql): Promise<void> {
  await removeInPortions(ctx, (limit) => asPlatform(ctx, 'old calls and lapsed connections of all stores are removed', async (ctx) =>
    (await ctx.tx.run(portion(limit))).length));
}
