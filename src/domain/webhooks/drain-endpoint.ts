import { setTimeout as wait } from 'node:timers/promises';
import { transact } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { type Context, type InTransaction, isShuttingDown } from '../context.ts';
import { type AttemptedBatch, attemptBatch } from './attempt-batch.ts';
import { type Batch, claimDeliveries, lockEndpoint } from './claim-deliveries.ts';
import { type EndpointLease, releaseLease, renewLease, takeLease } from './endpoint-leases.ts';
import { wakeForRest, wakeNextLease } from './endpoint-wakes.ts';
import { recordOutcomes } from './record-outcomes.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** A job drains for this long, then enqueues a successor so that other jobs get a worker. */
const drainMs = seconds(20);

/** Batches grow while an endpoint is quick, to deliver more per statement, and shrink when it slows down. */
const batchMax = 128;
const quickMs = 250;

/**
 * Deliver what is due to one endpoint under one of its leases, until nothing is due, the time is up or the process is
 * shutting down. After releasing the lease it checks once more for deliveries: jobs that found no free lease ended and
 * events enqueued no job, relying on this check.
 */
export async function drainEndpoint(ctx: Context, { endpointId }: { endpointId: string }): Promise<void> {
  const until = ctx.clock.now().getTime() + drainMs;
  let turn = await transact(ctx, (ctx) => startDraining(ctx, endpointId));
  if (turn === 'busy') return;
  while (turn && (turn.batch || turn.pauseMs > 0)) {
    const { batch } = turn;
    const result = batch ? await attemptBatch(ctx, batch) : await pause(ctx, turn.pauseMs);
    const mayContinue = ctx.clock.now().getTime() < until && !isShuttingDown(ctx);
    turn = await continueDraining(ctx, turn, result, mayContinue);
  }
  await wakeForRest(ctx, endpointId);
}

/**
 * The next step under a lease: attempt a batch, or wait for the endpoint's rate limit. With neither, it was released.
 */
interface Turn {
  readonly lease: EndpointLease;
  readonly batch: Batch | undefined;
  readonly pauseMs: number;
}

/** @returns `busy` when no lease is free, and `undefined` when nothing is due or the endpoint is paused */
async function startDraining(ctx: InTransaction, endpointId: string): Promise<Turn | 'busy' | undefined> {
  const lease = await takeLease(ctx, endpointId, newId('job'));
  if (lease === 'busy') return lease;
  const endpoint = lease && (await lockEndpoint(ctx, endpointId));
  if (!endpoint) return undefined;
  const turn = await takeTurn(ctx, endpoint, lease, lease.width);
  if (turn.batch?.hasMore && turn.batch.deliveries.length === lease.width) await wakeNextLease(ctx, endpointId);
  return turn;
}

/** Record the outcomes of a batch and claim the next one, in one transaction. */
async function continueDraining(
  ctx: Context,
  { lease, batch }: Turn,
  result: AttemptedBatch | undefined,
  mayContinue: boolean,
): Promise<Turn> {
  return transact(ctx, async (ctx) => {
    const renewed = await renewLease(ctx, lease);
    const endpoint = await lockEndpoint(ctx, lease.endpointId);
    if (!endpoint) return finished(lease);
    if (batch && result) await recordOutcomes(ctx, endpoint, batch, result);
    if (renewed && mayContinue) return takeTurn(ctx, endpoint, renewed, nextSize(renewed, batch, result));
    await releaseLease(ctx, lease);
    return finished(lease);
  });
}

async function takeTurn(
  ctx: InTransaction,
  endpoint: WebhookEndpoint,
  lease: EndpointLease,
  size: number,
): Promise<Turn> {
  const batch = await claimDeliveries(ctx, endpoint, lease, size);
  if (batch) return { lease, batch, pauseMs: 0 };
  const pauseMs = endpoint.disabledAt ? 0 : endpoint.pauseMs(ctx.clock.now());
  if (pauseMs === 0) await releaseLease(ctx, lease);
  return { lease, batch, pauseMs };
}

const finished = (lease: EndpointLease): Turn => ({ lease, batch: undefined, pauseMs: 0 });

async function pause(ctx: Context, milliseconds: number): Promise<undefined> {
  const signals = [ctx.signal, ctx.stopping].filter((signal) => signal !== undefined);
  // A shutdown ends the pause early; the caller checks for it next.
  await wait(milliseconds, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
}

function nextSize({ width }: EndpointLease, batch: Batch | undefined, result: AttemptedBatch | undefined): number {
  if (!batch || !result || result.tookMs > quickMs) return width;
  return Math.min(batchMax, Math.max(width, batch.deliveries.length * 2));
}
