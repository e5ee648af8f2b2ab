import { asPlatform } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';

/** What waits to be folded, of all stores. */
export interface Backlog {
  readonly batches: number;
  readonly events: number;
  readonly oldestAt: Date | null;
}

/** What may wait while nobody folds, such as during a release: about as much as one worker folds in half a minute. */
export const batchesMax = 20_000;
export const eventsMax = 500_000;

/** Counted up to the bound and no further. */
export async function readBacklog(ctx: PlatformContext, { limit = batchesMax } = {}): Promise<Backlog> {
  const [backlog] = await asPlatform(ctx, 'batches of every store wait in one line', (ctx) =>
    ctx.tx.execute<Backlog>(sql`
    select count(*)::int as batches, coalesce(sum(event_count), 0)::int as events, min(received_at) as "oldestAt"
    from (select event_count, received_at from analytics_batches order by received_at limit ${limit}) as waiting`),
  );
  return backlog ?? { batches: 0, events: 0, oldestAt: null };
}
