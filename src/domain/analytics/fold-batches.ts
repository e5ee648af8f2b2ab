import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { asPlatform } from '../database.ts';
import { type BatchKey, type Folded, foldChosen } from './fold-chosen.ts';
import { dataFault, foldOrSetAside } from './set-aside.ts';

/** What one transaction takes at most: 50,000 events. */
const batchesAtOnce = 100;

/** How long one run goes on. Then the next tick takes over. */
const workMs = seconds(5);

/**
 * Fold the batches that wait, oldest first, until none is left or the time is over. Any number of workers may do this
 * at once. A worker that dies in the middle has changed nothing: each portion is one transaction. A batch that cannot
 * be folded is set aside, and the others go on.
 */
export async function foldBatches(ctx: PlatformContext): Promise<Folded> {
  const startedAt = performance.now();
  const total = { batches: 0, events: 0 };
  let folded: Folded;
  do {
    folded = await foldPortion(ctx);
    total.batches += folded.batches;
    total.events += folded.events;
  } while (folded.batches > 0 && performance.now() - startedAt < workMs && !ctx.signal?.aborted);
  return total;
}

async function foldPortion(ctx: PlatformContext): Promise<Folded> {
  const waiting = await findWaiting(ctx);
  if (!waiting) return { batches: 0, events: 0 };
  try {
    return await foldChosen(ctx, waiting, { oldest: batchesAtOnce });
  } catch (error) {
    if (dataFault(error) === undefined) throw error;
    return foldOneByOne(ctx);
  }
}

async function findWaiting(ctx: PlatformContext): Promise<{ oldestAt: Date; newestAt: Date } | undefined> {
  const [found] = await asPlatform(ctx, 'batches of every store are folded together', (ctx) =>
    ctx.tx.run<{ oldestAt: Date | null; newestAt: Date }>(sql`
      select min(received_at) as "oldestAt", max(received_at) as "newestAt" from analytics_batches`));
  return found?.oldestAt ? { oldestAt: found.oldestAt, newestAt: found.newestAt } : undefined;
}

/** Something in a portion cannot be folded: find out what, and fold the rest of it. */
async function foldOneByOne(ctx: PlatformContext): Promise<Folded> {
  const portion = await asPlatform(ctx, 'batches of every store are folded together', (ctx) =>
    ctx.tx.run<BatchKey & { receivedAt: Date }>(sql`
      select tenant_id as "tenantId", id, received_at as "receivedAt" from analytics_batches order by received_at limit ${batchesAtOnce}`));
  const total = { batches: 0, events: 0 };
  for (const { receivedAt, ...key } of portion) {
    total.events += (await foldOrSetAside(ctx, key, receivedAt)).events;
    total.batches += 1;
  }
  return total;
}
