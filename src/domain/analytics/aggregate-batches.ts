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
/**
 * A step of this many events is so long that what arrives during it is not left for the next run: then it would be
 * older than `behindMs` (`backlog.ts`), and events would be rejected beside an idle worker.
 */
const longFrom = 100;

/** How long one attempt of the job runs. Then the next scheduled one continues. */
const workMs = seconds(5);

/**
 * Aggregate the waiting batches, oldest first, until one short transaction took all of them or the time is over: those
 * that arrived meanwhile wait for the next run, so that a steady stream is aggregated in few steps. Any number of workers
 * may run this concurrently. Each step is one transaction, so a crashed worker leaves nothing half done. A batch that
 * cannot be aggregated is quarantined, and the others continue.
 */
export async function aggregateBatches(ctx: PlatformContext): Promise<Aggregated> {
  const startedAt = performance.now();
  const total = { batches: 0, events: 0 };
  let events = eventsAtOnce.first;
  let isDone = false;
  while (!isDone && !ctx.signal?.aborted) {
    const stepStartedAt = performance.now();
    const waiting = await findWaiting(ctx, events);
    if (!waiting) break;
    const aggregated = await aggregateWaiting(ctx, waiting);
    events = nextSize(events, performance.now() - stepStartedAt);
    total.batches += aggregated.batches;
    total.events += aggregated.events;
    const tookAll = aggregated.batches === waiting.known;
    const isLast = (tookAll && waiting.events < longFrom) || aggregated.batches === 0;
    isDone = isLast || performance.now() - startedAt >= workMs;
  }
  return total;
}

function nextSize(events: number, tookMs: number): number {
  if (tookMs > batchMs) return Math.max(events / 2, eventsAtOnce.least);
  return tookMs < batchMs / 2 ? Math.min(events * 2, eventsAtOnce.most) : events;
}

async function aggregateWaiting(ctx: PlatformContext, waiting: WaitingBatches): Promise<Aggregated> {
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
  /** How many wait, those that do not fit included. */
  readonly known: number;
  /** Of all that wait. */
  readonly events: number;
}

async function findWaiting(ctx: PlatformContext, events: number): Promise<WaitingBatches | undefined> {
  const [found] = await asPlatform(ctx, 'batches of all stores are aggregated together', (ctx) =>
    ctx.tx.execute<WaitingBatches>(sql`
    select count(*) filter (where before < ${events})::int as batches, count(*)::int as known,
      sum(event_count)::int as events, min(received_at) as "oldestAt",
      max(received_at) filter (where before < ${events}) as "newestAt"
    from (
      select received_at, event_count,
        sum(event_count) over (order by received_at rows unbounded preceding) - event_count as before
      from (
        select received_at, event_count from analytics_batches order by received_at limit ${batchesAtOnce}) as oldest
    ) as waiting`),
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
