import { issueRefund as issueRefundJob } from '#jobs/payments.ts';
import { completeJob, readOne } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { isFinalFailure } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../../context.ts';
import { lockOrder, saveOrder } from '../../orders/index.ts';
import { calculateRetained } from '../../partners/index.ts';
import { openAccount } from '../accounts/payment-account.ts';
import { closeRefunded, flagAttention } from '../orders.ts';
import { attemptsMax, type ProviderFailureReport, providerFailureOf, retryWaitMs } from '../provider-calls.ts';
import { applySnapshot } from '../snapshots/apply-snapshot.ts';
import { fetchPayment, type Snapshot } from '../snapshots/fetch-snapshot.ts';
import { emailRefund } from './email-refunds.ts';

/** These attempts reach over forty minutes. */
const attemptsPerKey = 10;

interface RefundAttempt {
  readonly refundId: string;
  readonly attempt: number;
}

interface OpenRefund {
  readonly id: string;
  readonly orderId: string;
  readonly returnId: string | null;
  readonly amountCents: number;
  /** Null where a gift card paid for everything. */
  readonly paymentId: string | null;
}

/**
 * Refund the payment at the provider, and apply the snapshot of the payment. The refund's id is part of the idempotency
 * key and of the metadata at the provider: however often and late this job runs, the money is refunded once.
 */
export async function issueRefund(ctx: Context, { refundId, attempt }: RefundAttempt): Promise<void> {
  const refund = await readOne<OpenRefund>(
    ctx,
    sql`
    select r.id, r.order_id as "orderId", r.return_id as "returnId", r.amount_cents as "amountCents",
      o.payment_id as "paymentId"
    from payment_refunds r join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = r.order_id
    where r.tenant_id = ${ctx.tenant.id} and r.id = ${refundId} and r.state = 'requested'`,
  );
  if (!refund) return;
  const { paymentId } = refund;
  if (!paymentId || refund.amountCents === 0) return completeJob(ctx, (ctx) => closeWithoutMoney(ctx, refund));

  const snapshot = await refundAtProvider(ctx, { ...refund, paymentId }, attempt);
  if (snapshot instanceof Error) return retryLater(ctx, refund, attempt, snapshot);
  await completeJob(ctx, async (ctx) => {
    const order = await lockOrder(ctx, refund.orderId);
    if (await recordOutcome(ctx, refund, 'sent')) order?.resolve('refund_failed');
    await applySnapshot(ctx, snapshot);
    if (order) await saveOrder(ctx, order);
  });
}

/**
 * Refund the payment and fetch it. The provider returns its own errors again for the same key for a day, so the key
 * changes now and then. That is safe, because a refund that was made is found by its metadata.
 */
async function refundAtProvider(
  ctx: Context,
  { id, paymentId, returnId, amountCents }: OpenRefund & { paymentId: string },
  attempt: number,
): Promise<Snapshot | ProviderFailureReport> {
  const key = `refund:${id}:${Math.floor(attempt / attemptsPerKey)}`;
  try {
    const account = await openAccount(ctx);
    await ctx.ports.payments.refundPayment(
      account,
      { paymentId, amountCents, refundId: id, returnId },
      key,
      ctx.signal,
    );
    return { subject: 'payment', payment: await fetchPayment(ctx, account, paymentId) };
  } catch (error) {
    return providerFailureOf(error);
  }
}

async function retryLater(
  ctx: Context,
  refund: OpenRefund,
  attempt: number,
  reason: ProviderFailureReport,
): Promise<void> {
  if (isFinalFailure(reason) || attempt >= attemptsMax) {
    return completeJob(ctx, (ctx) => recordDeclined(ctx, refund, reason.code ?? 'provider_error'));
  }
  const dueAt = fromNow(ctx.clock, retryWaitMs(attempt, reason));
  await completeJob(ctx, async (ctx) => {
    await ctx.tx.execute(sql`
      update payment_refunds set failure = ${reason.code ?? null}
      where tenant_id = ${ctx.tenant.id} and id = ${refund.id} and state = 'requested'`);
    enqueue(ctx, issueRefundJob, { refundId: refund.id, attempt: attempt + 1 }, { dueAt });
  });
}

/** The order stays as it is and is flagged for an operator. */
async function recordDeclined(ctx: InTransaction, refund: OpenRefund, code: string): Promise<void> {
  const order = await lockOrder(ctx, refund.orderId);
  await recordOutcome(ctx, refund, 'refused', code);
  if (!order) return;
  await flagAttention(ctx, order, {
    code: 'refund_failed',
    detail: `The payment provider declined the refund (${code}).`,
  });
}

/** No money is left to refund at the provider, only the gift card's part. */
async function closeWithoutMoney(ctx: InTransaction, refund: OpenRefund): Promise<void> {
  const order = await lockOrder(ctx, refund.orderId);
  await recordOutcome(ctx, refund, 'sent');
  if (!order || order.status === 'refunded' || order.refundedCents < order.totalCents) return;
  await emailRefund(ctx, order, { amountCents: 0, cardCents: await closeRefunded(ctx, order) });
}

/** @returns `false` where its outcome has been recorded already */
async function recordOutcome(
  ctx: InTransaction,
  { id, orderId }: OpenRefund,
  state: 'sent' | 'refused',
  failure: string | null = null,
): Promise<boolean> {
  const recorded = await ctx.tx.execute(sql`
    update payment_refunds set state = ${state}, failure = ${failure}, settled_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${id} and state = 'requested' returning id`);
  await calculateRetained(ctx, orderId);
  return recorded.length > 0;
}
