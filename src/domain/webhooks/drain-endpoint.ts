import { setTimeout as wait } from 'node:timers/promises';
import { completeJob, transact } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { type Context, type InTransaction, isShuttingDown } from '../context.ts';
import { type AttemptedBatch, attemptBatch } from './attempt-batch.ts';
import { type Batch, claimDeliveries } from './claim-deliveries.ts';
import { chooseLease, type LockedEndpoint, lockEndpointAndLeases, snoozeForDeadAttempt } from './endpoint-leases.ts';
import { checkForRest, enqueueWake, wakeNextLease } from './endpoint-wakes.ts';
import { recordOutcomes } from './record-outcomes.ts';

/** A job drains for this long, then enqueues a successor so that other jobs get a worker. */
const drainMs = seconds(20);

/** Batches grow while an endpoint is quick, to deliver more per statement, and shrink when it slows down. */
const batchMax = 128;
const quickMs = 250;

/**
 * Deliver what is due to one endpoint under one of its leases, until nothing is due, the time is up or the process is
 * shutting down. The last transaction records outcomes, releases the lease and checks once more for deliveries: jobs
 * that found no free lease ended and events enqueued no job, relying on this check.
 */
export async function drainEndpoint(ctx: Context, { endpointId }: { endpointId: string }): Promise<void> {
  const until = ctx.clock.now().getTime() + drainMs;
  const drain = { endpointId, token: newId('job') };
  let step = await transact(ctx, (ctx) => startDraining(ctx, drain));
  while (step) {
    const { batch, pauseMs } = step;
    const result = batch ? await attemptBatch(ctx, batch) : await pause(ctx, pauseMs);
    const mayContinue = ctx.clock.now().getTime() < until && !isShuttingDown(ctx);
    step = await continueDraining(ctx, drain, step, result, mayContinue);
  }
}

/** Its token is that of its lease. */
interface Drain {
  readonly endpointId: string;
  readonly token: string;
}

/** The next step of a drain: attempt a batch, or wait for the endpoint's rate limit. */
interface Step {
  readonly batch: Batch | undefined;
  readonly pauseMs: number;
  /** Whether more is due. If not, the final check follows. */
  readonly hasMore: boolean;
}

const nothingDue: Step = { batch: undefined, pauseMs: 0, hasMore: false };

/** @returns `undefined` when no lease is free */
async function startDraining(ctx: InTransaction, drain: Drain): Promise<Step | undefined> {
  const locked = await lockEndpointAndLeases(ctx, drain.endpointId);
  if (!locked) return undefined;
  snoozeForDeadAttempt(ctx, locked.leases);
  const step = await chooseStep(ctx, drain, locked, { size: 0, isWoken: true });
  if (step?.batch && step.hasMore) await wakeNextLease(ctx, locked, step.batch);
  return step;
}

/**
 * Record the outcomes of a batch and claim the next one, in one transaction.
 *
 * @returns `undefined` when the drain is over
 */
async function continueDraining(
  ctx: Context,
  drain: Drain,
  { batch, hasMore }: Step,
  result: AttemptedBatch | undefined,
  mayContinue: boolean,
): Promise<Step | undefined> {
  const isFinal = !hasMore || !mayContinue;
  return transact(ctx, async (ctx) => {
    const locked = await lockEndpointAndLeases(ctx, drain.endpointId, { forFinalCheck: isFinal });
    if (!locked) return undefined;
    if (batch && result) await recordOutcomes(ctx, locked.endpoint, batch, result);

    const now = ctx.clock.now();
    const dueAt = isFinal ? await checkForRest(ctx, locked.endpoint, { token: drain.token, now, mayContinue }) : now;
    if (mayContinue && dueAt && dueAt <= now)
      return chooseStep(ctx, drain, locked, { size: nextSize(batch, result), isWoken: false });
    return completeJob(ctx, async (ctx) => {
      if (dueAt) enqueueWake(ctx, drain.endpointId, dueAt);
      return undefined;
    });
  });
}

/** @returns `undefined` when no lease is free */
async function chooseStep(
  ctx: InTransaction,
  { token }: Drain,
  { endpoint, leases }: LockedEndpoint,
  { size, isWoken }: { size: number; isWoken: boolean },
): Promise<Step | undefined> {
  const lease = chooseLease(ctx, leases, token);
  if (!lease) return undefined;
  const now = ctx.clock.now();
  if (endpoint.disabledAt || endpoint.isPaused(now)) return nothingDue;
  const claim = await claimDeliveries(ctx, endpoint, lease, { wanted: Math.max(lease.width, size), isWoken });
  return { ...claim, pauseMs: claim.batch ? 0 : endpoint.pauseMs(now) };
}

async function pause(ctx: Context, milliseconds: number): Promise<undefined> {
  const signals = [ctx.signal, ctx.stopping].filter((signal) => signal !== undefined);
  // A shutdown ends the pause early; the caller checks for it next.
  await wait(milliseconds, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
}

/** How many deliveries the next batch may have, where that is more than its lease's width. */
function nextSize(batch: Batch | undefined, result: AttemptedBatch | undefined): number {
  if (!batch || !result || result.tookMs > quickMs) return 0;
  return Math.min(batchMax, batch.deliveries.length * 2);
}
