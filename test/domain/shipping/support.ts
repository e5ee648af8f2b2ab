import { purchaseLabel } from '#jobs/labels.ts';
import { read, readOne, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { requestLabel, purchaseLabel as work } from '#src/domain/shipping/index.ts';
import type { Clock } from '#src/lib/clock.ts';
import { ManualActionRequired, Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { createTestClock, type TestClock } from '#test/support/clock.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { type BuiltOrder, buildPaidOrder, type GivenOrder } from '#test/support/factories/orders.ts';
import { type FakeShipping, fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import { jobAttempt } from '#test/support/job-attempts.ts';

/** A store's context with a provider and a clock of its own. */
export function withFake(ctx: Context): { ctx: Context; shipping: FakeShipping; clock: TestClock } {
  const shipping = fakeShippingGateway();
  const clock = createTestClock();
  return { ctx: { ...ctx, clock, ports: { ...ctx.ports, shipping } }, shipping, clock };
}

export interface Requested {
  order: BuiltOrder;
  labelId: string;
}

/** A paid order whose label was requested. */
export async function request(ctx: Context, given?: GivenOrder): Promise<Requested> {
  const order = await buildPaidOrder(ctx, given);
  await transact(ctx, (ctx) => requestLabel(ctx, { orderId: order.id }));
  return { order, labelId: (await labelOf(ctx, order.id)).id };
}

export interface LabelRow {
  id: string;
  state: string;
  reason: string | null;
  latestAttempt: number;
  failedAttempts: number;
  nextAttemptAt: Date | null;
  leaseExpiresAt: Date | null;
  buyingSince: Date | null;
  buyNumber: number;
  purchaseId: string | null;
  amountCents: number | null;
  trackingNumber: string | null;
}

export async function labelOf(ctx: Context, orderId: string): Promise<LabelRow> {
  const row = await readOne<LabelRow>(
    ctx,
    sql`
    select id, state, reason_code as reason, latest_attempt as "latestAttempt", failed_attempts as "failedAttempts",
      next_attempt_at as "nextAttemptAt", lease_expires_at as "leaseExpiresAt",
      buying_since as "buyingSince", buy_number as "buyNumber", purchase_id as "purchaseId",
      amount_cents as "amountCents", tracking_number as "trackingNumber"
    from labels where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} order by (state <> 'voided') desc limit 1`,
  );
  if (!row) throw new Error('The order has no label.');
  return row;
}

export async function orderOf(
  ctx: Context,
  orderId: string,
): Promise<{
  status: string;
  fulfillment: string;
  attention: string | null;
  labels: { tracking_number: string; status: string }[];
}> {
  const [row] = await read<{
    status: string;
    fulfillment: string;
    attention: string | null;
    labels: { tracking_number: string; status: string }[];
  }>(
    ctx,
    sql`
    select status, fulfillment_status as fulfillment, attentions -> 0 ->> 'code' as attention, labels
    from orders where tenant_id = ${ctx.tenant.id} and id = ${orderId}`,
  );
  if (!row) throw new Error('There is no such order.');
  return row;
}

/** Run the newest job of this label once. Returns how it ended. */
export async function run(ctx: Context, orderId: string, attempt?: number): Promise<string> {
  const label = await labelOf(ctx, orderId);
  try {
    await work(ctx, { labelId: label.id, attempt: attempt ?? label.latestAttempt });
    return 'done';
  } catch (error) {
    if (error instanceof ManualActionRequired) return error.message;
    if (error instanceof Snooze) return 'snoozed';
    throw error;
  }
}

/**
 * An operator presses Retry on the board: the job's run starts a new attempt, and that is executed once. Returns how it
 * ended.
 */
export async function press(ctx: Context, orderId: string, attempt?: number): Promise<string> {
  const ended = await run({ ...ctx, attempt: jobAttempt({ manual: true }) }, orderId, attempt);
  return ended === 'done' ? run(ctx, orderId) : ended;
}

/** Run a label's jobs as the queue would, without the waits, until nothing is due without an operator. */
export async function runToEnd(
  ctx: Context,
  clock: TestClock,
  orderId: string,
  { runsMax = 40 } = {},
): Promise<LabelRow> {
  for (let runs = 0; runs < runsMax; runs += 1) {
    const label = await labelOf(ctx, orderId);
    if (['purchased', 'needs_attention', 'skipped', 'voided'].includes(label.state)) return label;
    const waitUntil = Math.max(label.nextAttemptAt?.getTime() ?? 0, label.leaseExpiresAt?.getTime() ?? 0);
    clock.pass(Math.max(0, waitUntil - clock.now().getTime() + 1));
    await run(ctx, orderId);
  }
  throw new Error(`The label has no end after ${runsMax} runs: ${JSON.stringify(await labelOf(ctx, orderId))}`);
}

export class Crash extends Error {
  override readonly name = 'Crash';
}

/** A clock that ends the process, so to speak, when it is looked at for the nth time. */
export function crashingClock(clock: Clock, atLookup: number): Clock & { lookups: number } {
  return {
    lookups: 0,
    now() {
      this.lookups += 1;
      if (this.lookups === atLookup) throw new Crash('the process was killed');
      return clock.now();
    },
  };
}

/** A clock by which the process stands still for a while, when it is looked at for the nth time. */
export function jumpingClock(clock: TestClock, atLookup: number, ms: number): Clock & { lookups: number } {
  return {
    lookups: 0,
    now() {
      this.lookups += 1;
      if (this.lookups === atLookup) clock.pass(ms);
      return clock.now();
    },
  };
}

export const outboxJobsOf = async (ctx: Context, labelId: string) =>
  (await enqueuedJobs(ctx, purchaseLabel)).filter((payload) => payload.labelId === labelId);

/** The rate that is written down for a label. */
export async function rateIdOf(ctx: Context, labelId: string): Promise<string> {
  const row = await readOne<{ rateId: string | null }>(
    ctx,
    sql`
    select rate_id as "rateId" from labels where tenant_id = ${ctx.tenant.id} and id = ${labelId}`,
  );
  return row?.rateId ?? '';
}

/** The parcels of an order. */
export const trackingsOf = (ctx: Context, orderId: string) =>
  read<{ id: string; status: string; followed: boolean; nextPollAt: Date | null }>(
    ctx,
    sql`
  select id, status, followed, next_poll_at as "nextPollAt" from trackings
  where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`,
  );
