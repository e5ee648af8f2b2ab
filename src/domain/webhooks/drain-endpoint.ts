import { setTimeout as wait } from 'node:timers/promises';
import { drainEndpoint as drainEndpointJob } from '#jobs/webhooks.ts';
import { readOne, transact } from '#src/database/transact.ts';
import { clocksAgreeWithinMs, fromNow } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { type Context, type InTransaction, isShuttingDown } from '../context.ts';
import { type AttemptedBatch, attemptBatch } from './attempt-batch.ts';
import { type Batch, claimDeliveries, lockEndpoint } from './claim-deliveries.ts';
import { type EndpointLease, nextDueAt, releaseLease, renewLease, takeLease } from './endpoint-leases.ts';
import { recordOutcomes } from './record-outcomes.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** A job drains for this long, then enqueues a successor so that other jobs get a worker. */
const drainMs = seconds(20);

/** Batches grow while an endpoint is quick, to deliver more per statement, and shrink when it slows down. */
const batchMax = 128;
const quickMs = 250;

/**
 * Deliver what is due to one endpoint under one of its leases, until nothing is due, the time is up or the process is
 * shutting down. After releasing the lease it checks once more for due deliveries: a job that started meanwhile found
 * no free lease and ended, relying on this check.
 */
export async function drainEndpoint(ctx: Context, { endpointId }: { endpointId: string }): Promise<void> {
  const until = ctx.clock.now().getTime() + drainMs;
  let turn = await transact(ctx, (ctx) => startDraining(ctx, endpointId));
  if (!turn) return;
  while (turn.batch || turn.pauseMs > 0) {
    const { batch } = turn;
    const result = batch ? await attemptBatch(ctx, batch) : await pause(ctx, turn.pauseMs);
    const mayContinue = ctx.clock.now().getTime() < until && !isShuttingDown(ctx);
    turn = await continueDraining(ctx, turn, result, mayContinue);
  }
  await checkOnceMore(ctx, endpointId);
}

/**
 * The next step under a lease: attempt a batch, or wait for the endpoint's rate limit. With neither, it was released.
 */
interface Turn {
  readonly lease: EndpointLease;
  readonly batch: Batch | undefined;
  readonly pauseMs: number;
}

/** @returns `undefined` when nothing is due, the endpoint is paused or no lease is free */
async function startDraining(ctx: InTransaction, endpointId: string): Promise<Turn | undefined> {
  const lease = await takeLease(ctx, endpointId, newId('job'));
  const endpoint = lease && (await lockEndpoint(ctx, endpointId));
  return endpoint && takeTurn(ctx, endpoint, lease, lease.width);
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

/**
 * Enqueue a successor when a delivery is due now or in a moment. While the breaker is open this is not needed: opening
 * it enqueued the next job.
 */
async function checkOnceMore(ctx: Context, endpointId: string): Promise<void> {
  const row = await readOne<{ dueAt: Date | null }>(ctx, sql`select ${nextDueAt(ctx, endpointId)} as "dueAt"`);
  if (!row?.dueAt || row.dueAt > fromNow(ctx.clock, clocksAgreeWithinMs)) return;
  const { dueAt } = row;
  await transact(ctx, async (ctx) => enqueue(ctx, drainEndpointJob, { endpointId, causeId: newId('job') }, { dueAt }));
}
