import { asPlatform } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { type Aggregated, aggregateChosen, type BatchKey } from './aggregate-chosen.ts';
import { aggregateOrQuarantine, dataFault } from './quarantine.ts';

/** The intended duration of one transaction: events that arrive during it wait for it and for their own. */
const batchMs = 250;

/** About how many events one transaction aggregates: at first, at least and at most. */
const eventsAtOnce = { first: 4000, least: 1000, most: 32_000 };
const batchesAtOnce = 1000;

/** How long one attempt of the job runs. Then the next scheduled one continues. */
const workMs = seconds(5);

/**
 * Aggregate the waiting batches, oldest first, until none is left or the time is over. Any number of workers may run
 * this concurrently. Each step is one transaction, so a crashed worker leaves nothing half done. A batch that cannot be
 * aggregated is quarantined, and the others continue.
 */
export async function aggregateBatches(ctx: PlatformContext): Promise<Aggregated> {
  const startedAt = performance.now();
  const total = { batches: 0, events: 0 };
  let events = eventsAtOnce.first;
  let aggregated: Aggregated;
  do {
    const stepStartedAt = performance.now();
    aggregated = await aggregateBatch(ctx, events);
    events = nextSize(events, performance.now() - stepStartedAt);
    total.batches += aggregated.batches;
    total.events += aggregated.events;
  } while (aggregated.batches > 0 && performance.now() - startedAt < workMs && !ctx.signal?.aborted);
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

/** The oldest waiting batches that fit into one transaction: their number, and when they were received. */
interface WaitingBatches {
  readonly batches: number;
  readonly oldestAt: Date;
  readonly newestAt: Date;
}

async function findWaiting(ctx: PlatformContext, events: number): Promise<WaitingBatches | undefined> {
  const [found] = await asPlatform(ctx, 'batches of all stores are aggregated together', (ctx) =>
    ctx.tx.execute<WaitingBatches>(sql`
    select count(*)::int as batches, min(received_at) as "oldestAt", max(received_at) as "newestAt"
    from (
      select received_at, sum(event_count) over (order by received_at rows unbounded preceding) - event_count as before
      from (
        select received_at, event_count from analytics_batches order by received_at limit ${batchesAtOnce}) as oldest
    ) as waiting where before < ${events}`),
  );
  return found && found.batches > 0 ? found : undefined;
}

/** One of the batches cannot be aggregated: quarantine it and aggregate the others. */
async function aggregateOneByOne(ctx: PlatformContext, { batches }: WaitingBatches): Promise<Aggregated> {
  const oldest = await asPlatform(ctx, 'batches of all stores are aggregated together', (ctx) =>
    ctx.tx.execute<BatchKey & { receivedAt: Date }>(sql`
      select tenant_id as "tenantId", id, received_at as "receivedAt" from analytics_batches
      order by received_at limit ${batches}`),
  );
  const total = { batches: 0, events: 0 };
  for (const { receivedAt, ...key } of oldest) {
    total.events += (await aggregateOrQuarantine(ctx, key, receivedAt)).events;
    total.batches += 1;
  }
  return total;
}
