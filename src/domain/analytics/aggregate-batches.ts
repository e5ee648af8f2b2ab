import { asPlatform } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { type Aggregated, aggregateChosen, type BatchKey } from './aggregate-chosen.ts';
import { aggregateOrQuarantine, dataFault } from './quarantine.ts';

/** So long one transaction is to take: what comes meanwhile waits for it, and then for its own. */
const batchMs = 250;

/** How many events, more or less, one transaction takes: at first, at least and at most. */
const eventsAtOnce = { first: 4000, least: 1000, most: 32_000 };
const batchesAtOnce = 1000;

/** How long one run goes on. Then the next tick takes over. */
const workMs = seconds(5);

/**
 * Fold the batches that wait, oldest first, until none is left or the time is over. Any number of workers may do this
 * at once. A worker that dies in the middle has changed nothing: each portion is one transaction. A batch that cannot
 * be folded is set aside, and the others go on.
 */
export async function aggregateBatches(ctx: PlatformContext): Promise<Aggregated> {
  const startedAt = performance.now();
  const total = { batches: 0, events: 0 };
  let events = eventsAtOnce.first;
  let folded: Aggregated;
  do {
    const begunAt = performance.now();
    folded = await aggregateBatch(ctx, events);
    events = nextSize(events, performance.now() - begunAt);
    total.batches += folded.batches;
    total.events += folded.events;
  } while (folded.batches > 0 && performance.now() - startedAt < workMs && !ctx.signal?.aborted);
  return total;
}

function nextSize(events: number, tookMs: number): number {
  if (tookMs > batchMs) return Math.max(events / 2, eventsAtOnce.least);
  return tookMs < batchMs / 2 ? Math.min(events * 2, eventsAtOnce.most) : events;
}

async function aggregateBatch(ctx: PlatformContext, events: number): Promise<Aggregated> {
  const waiting = await findWaiting(ctx, events);
  if (!waiting) return { batches: 0, events: 0 };
  try {
    return await aggregateChosen(ctx, waiting, { oldest: waiting.batches });
  } catch (error) {
    if (dataFault(error) === undefined) throw error;
    return aggregateOneByOne(ctx, waiting);
  }
}

/** The oldest batches that wait, as many as make a portion, and when they came. */
interface Portion {
  readonly batches: number;
  readonly oldestAt: Date;
  readonly newestAt: Date;
}

async function findWaiting(ctx: PlatformContext, events: number): Promise<Portion | undefined> {
  const [found] = await asPlatform(ctx, 'batches of every store are folded together', (ctx) =>
    ctx.tx.execute<Portion>(sql`
    select count(*)::int as batches, min(received_at) as "oldestAt", max(received_at) as "newestAt"
    from (
      select received_at, sum(event_count) over (order by received_at rows unbounded preceding) - event_count as before
      from (select received_at, event_count from analytics_batches order by received_at limit ${batchesAtOnce}) as oldest
    ) as waiting where before < ${events}`),
  );
  return found && found.batches > 0 ? found : undefined;
}

/** Something in a portion cannot be folded: find out what, and fold the rest of it. */
async function aggregateOneByOne(ctx: PlatformContext, { batches }: Portion): Promise<Aggregated> {
  const portion = await asPlatform(ctx, 'batches of every store are folded together', (ctx) =>
    ctx.tx.execute<BatchKey & { receivedAt: Date }>(sql`
      select tenant_id as "tenantId", id, received_at as "receivedAt" from analytics_batches order by received_at limit ${batches}`),
  );
  const total = { batches: 0, events: 0 };
  for (const { receivedAt, ...key } of portion) {
    total.events += (await aggregateOrQuarantine(ctx, key, receivedAt)).events;
    total.batches += 1;
  }
  return total;
}
