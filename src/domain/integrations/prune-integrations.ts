import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { asPlatform } from '../database.ts';

/** So long it can be looked up what a third party told. */
const keepMs = days(30);
const batchSize = 2000;
const batchesMax = 50;

/** Remove calls of long ago, and connections that nobody completed, in portions, for all stores. What waits stays. */
export async function pruneIntegrations(ctx: PlatformContext): Promise<void> {
  const before = fromNow(ctx.clock, -keepMs);
  await removeInPortions(ctx, sql`
    delete from integration_calls where (tenant_id, id) in (
      select tenant_id, id from integration_calls
      where received_at < ${before} and state <> 'received' order by received_at limit ${batchSize})
    returning id`);
  await removeInPortions(ctx, sql`
    delete from integration_connections where (tenant_id, id) in (
      select tenant_id, id from integration_connections
      where expires_at < ${before} and received_at is null order by expires_at limit ${batchSize})
    returning id`);
}

async function removeInPortions(ctx: PlatformContext, statement: Sql): Promise<void> {
  for (let batch = 0; batch < batchesMax && !ctx.signal?.aborted; batch += 1) {
    const removed = await asPlatform(ctx, 'old calls and lapsed connections of all stores are removed', (ctx) => ctx.tx.run(statement));
    if (removed.length < batchSize) return;
  }
}
