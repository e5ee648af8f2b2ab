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
import { nextDueAt, releaseLease, renewLease, type Slot, takeLease } from './endpoint-leases.ts';
import { recordOutcomes } from './record-outcomes.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** One job works so long and then makes room for others: what is left has a successor. */
const drainMs = seconds(20);

/** Batches grow while an endpoint is quick, so that few statements serve many deliveries, and shrink as it slows. */
const batchMax = 128;
const quickMs = 250;

/**
 * Deliver what is due to one endpoint, in one of its slots, until nothing is due, the time is over or the process has
 * to stop. Then the slot is given back and we look once more: what came in between saw no free slot, ended, and relies
 * on us.
 */
export async function drainEndpoint(ctx: Context, { endpointId }: { endpointId: string }): Promise<void> {
  const until = ctx.clock.now().getTime() + drainMs;
  let turn = await transact(ctx, (ctx) => begin(ctx, endpointId));
  if (!turn) return;
  while (turn.batch || turn.pauseMs > 0) {
    const { batch } = turn;
    const result = batch ? await attemptBatch(ctx, batch) : await pause(ctx, turn.pauseMs);
    const mayGoOn = ctx.clock.now().getTime() < until && !isShuttingDown(ctx);
    turn = await goOn(ctx, turn, result, mayGoOn);
  }
  await checkOnceMore(ctx, endpointId);
}

/** What to do in a slot: deliveries to attempt, or to wait as the endpoint's rate wants. With neither it was given back. */
interface Turn {
  readonly slot: Slot;
  readonly batch: Batch | undefined;
  readonly pauseMs: number;
}

/** `undefined` where nothing is due, nothing may be tried or no slot is free. */
async function begin(ctx: InTransaction, endpointId: string): Promise<Turn | undefined> {
  const slot = await takeLease(ctx, endpointId, newId('job'));
  const endpoint = slot && (await lockEndpoint(ctx, endpointId));
  return endpoint && takeTurn(ctx, endpoint, slot, slot.width);
}

/** Write down how a batch went and take the next one, in one transaction. */
async function goOn(
  ctx: Context,
  { slot, batch }: Turn,
  result: AttemptedBatch | undefined,
  mayGoOn: boolean,
): Promise<Turn> {
  return transact(ctx, async (ctx) => {
    const renewed = await renewLease(ctx, slot);
    const endpoint = await lockEndpoint(ctx, slot.endpointId);
    if (!endpoint) return over(slot);
    if (batch && result) await recordOutcomes(ctx, endpoint, batch, result);
    if (renewed && mayGoOn) return takeTurn(ctx, endpoint, renewed, nextSize(renewed, batch, result));
    await releaseLease(ctx, slot);
    return over(slot);
  });
}

async function takeTurn(ctx: InTransaction, endpoint: WebhookEndpoint, slot: Slot, size: number): Promise<Turn> {
  const batch = await claimDeliveries(ctx, endpoint, slot, size);
  if (batch) return { slot, batch, pauseMs: 0 };
  const pauseMs = endpoint.disabledAt ? 0 : endpoint.pauseMs(ctx.clock.now());
  if (pauseMs === 0) await releaseLease(ctx, slot);
  return { slot, batch, pauseMs };
}

const over = (slot: Slot): Turn => ({ slot, batch: undefined, pauseMs: 0 });

async function pause(ctx: Context, milliseconds: number): Promise<undefined> {
  const signals = [ctx.signal, ctx.stopping].filter((signal) => signal !== undefined);
  // Being told to stop ends the pause; what follows sees to it.
  await wait(milliseconds, undefined, { signal: AbortSignal.any(signals) }).catch(() => undefined);
}

function nextSize({ width }: Slot, batch: Batch | undefined, result: AttemptedBatch | undefined): number {
  if (!batch || !result || result.tookMs > quickMs) return width;
  return Math.min(batchMax, Math.max(width, batch.deliveries.length * 2));
}

/**
 * Promise a successor when anything is due, or will be in a moment. While the endpoint is paused, its next wake-up was
 * promised with the pause.
 */
async function checkOnceMore(ctx: Context, endpointId: string): Promise<void> {
  const row = await readOne<{ dueAt: Date | null }>(ctx, sql`select ${nextDueAt(ctx, endpointId)} as "dueAt"`);
  if (!row?.dueAt || row.dueAt > fromNow(ctx.clock, clocksAgreeWithinMs)) return;
  const { dueAt } = row;
  await transact(ctx, async (ctx) => enqueue(ctx, drainEndpointJob, { endpointId, causeId: newId('job') }, { dueAt }));
}
