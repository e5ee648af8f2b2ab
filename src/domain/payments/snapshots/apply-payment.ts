import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../../context.ts';
import { type Attention, lockOrder, type Order, saveOrder } from '../../orders/index.ts';
import { calculateRetained } from '../../partners/index.ts';
import type { FailedRefund, OwnRefund, PaymentSnapshot } from '../../ports/payment-snapshots.ts';
import { leftToReturn } from '../../promotions/index.ts';
import { endOrder, flagAttention, undoSale } from '../orders.ts';
import { emailRefunds } from '../refunds/email-refunds.ts';
import { type ApplyResult, isOwnObject, type Snapshot } from './fetch-snapshot.ts';

const refundFailed: Attention = {
  code: 'refund_failed',
  detail:
    "A refund failed at the shopper's bank. The money is back in your balance at the payment provider. Items that are in " +
    'stock again and what a gift card got back stay so.',
};
const disputed: Attention = {
  code: 'disputed',
  detail: "The shopper's bank disputes this payment. Respond to the dispute at the payment provider.",
};
const disputeLost: Attention = {
  code: 'dispute_lost',
  detail: 'The dispute was lost, and the payment was returned to the shopper.',
};

/** Reconcile an order with the refunds and disputes of its payment. */
export async function applyPayment(
  ctx: InTransaction,
  { payment }: Extract<Snapshot, { subject: 'payment' }>,
): Promise<ApplyResult> {
  if (!isOwnObject(ctx, payment)) return 'ignored';
  const order = await lockOrder(ctx, await orderIdOf(ctx, payment));
  if (!order) return 'unknown_order';
  // Its session has not been applied yet: refunds and disputes count after that.
  if (!order.isPaid) return (await isMismatched(ctx, order)) ? endMismatch(ctx, order, payment) : 'unknown_order';
  if (!isPaymentOf(order, payment)) return applyForeign(ctx, order, payment);
  if (order.paymentSnapshotNumber > payment.snapshotNumber) return 'applied';

  order.paymentSnapshotNumber = payment.snapshotNumber;
  const cardCents = await applyRefunds(ctx, order, payment);
  await applyDisputes(ctx, order, payment);
  await saveOrder(ctx, order);
  await calculateRetained(ctx, order.id);
  await emailRefunds(ctx, order, { refunds: payment.refunds, cardCents });
  return 'applied';
}

/** Once the mismatched amount was refunded, the order is over, whether or not an operator dismissed it before. */
async function endMismatch(ctx: InTransaction, order: Order, payment: PaymentSnapshot): Promise<ApplyResult> {
  if (payment.refundedCents >= payment.amountCents) {
    order.resolve('amount_mismatch');
    await endOrder(ctx, order, 'canceled');
    await saveOrder(ctx, order);
  }
  return 'applied';
}

async function isMismatched(ctx: InTransaction, { id }: Order): Promise<boolean> {
  const rows = await ctx.tx.execute(sql`
    select 1 from payment_sessions where tenant_id = ${ctx.tenant.id} and order_id = ${id} and state = 'mismatched'`);
  return rows.length > 0;
}

/** A paid order has its payment's id, unless nothing was due. */
const isPaymentOf = (order: Order, { paymentId }: PaymentSnapshot): boolean =>
  order.paymentId ? order.paymentId === paymentId : order.totalCents > 0;

/**
 * Another payment names this order in its metadata: that of a later period, whose order does not exist yet, or a second
 * payment of the same goods. Refunds of it do not change what was bought.
 */
async function applyForeign(ctx: InTransaction, order: Order, payment: PaymentSnapshot): Promise<ApplyResult> {
  if (payment.invoiceId) return 'unknown_order';
  if (payment.refundedCents >= payment.amountCents) {
    order.resolve('paid_twice');
    await saveOrder(ctx, order);
  }
  return 'applied';
}

/** The metadata of a renewal's payment names the first order; the renewal's own order is found by its invoice. */
async function orderIdOf(ctx: InTransaction, { invoiceId, orderId }: PaymentSnapshot): Promise<string> {
  if (!invoiceId) return orderId ?? '';
  const [renewal] = await ctx.tx.execute<{ orderId: string }>(sql`
    select order_id as "orderId" from payment_invoices where tenant_id = ${ctx.tenant.id} and id = ${invoiceId}`);
  return renewal?.orderId ?? orderId ?? '';
}

/** @returns the amount that was returned to the gift card, if it can be used */
async function applyRefunds(ctx: InTransaction, order: Order, payment: PaymentSnapshot): Promise<number> {
  await recordRestored(ctx, order, payment.ownRefunds);
  const hasFailed = await recordFailures(ctx, order, payment.failedRefunds);
  if (hasFailed || payment.refundedCents < order.refundedCents) await flagAttention(ctx, order, refundFailed);
  return applyRefundedAmount(ctx, order, payment);
}

/**
 * Record refunds that were requested here after a backup that was restored since. Without them, a return would be
 * refunded again, and taken for a refund of the order that ends it.
 */
async function recordRestored(ctx: InTransaction, order: Order, refunds: readonly OwnRefund[]): Promise<void> {
  if (refunds.length === 0) return;
  await ctx.tx.execute(sql`
    insert into payment_refunds (tenant_id, id, order_id, return_id, state, amount_cents, requested_by, created_at,
      settled_at)
    select ${ctx.tenant.id}, "refundId", ${order.id}, "returnId", 'sent', "amountCents", ${ctx.actor.id}, "createdAt",
      ${ctx.clock.now()}
    from jsonb_to_recordset(${JSON.stringify(refunds)}::jsonb)
      as r("refundId" text, "returnId" text, "amountCents" int8, "createdAt" timestamptz)
    on conflict do nothing`);
}

/** @returns whether any of the order's refunds was not known to have failed */
async function recordFailures(ctx: InTransaction, order: Order, failed: readonly FailedRefund[]): Promise<boolean> {
  if (failed.length === 0) return false;
  const recorded = await ctx.tx.execute(sql`
    update payment_refunds r set state = 'failed', failure = f.failure, settled_at = ${ctx.clock.now()}
    from jsonb_to_recordset(${JSON.stringify(failed)}::jsonb) as f("refundId" text, failure text)
    where r.tenant_id = ${ctx.tenant.id} and r.order_id = ${order.id} and r.id = f."refundId" and r.state <> 'failed'
    returning r.id`);
  return recorded.length > 0;
}

/** The refunded amount is the provider's: a refund that fails later reduces it again. */
async function applyRefundedAmount(ctx: InTransaction, order: Order, payment: PaymentSnapshot): Promise<number> {
  const { refundedCents, amountCents } = payment;
  const before = order.refundedCents;
  if (refundedCents === before) return 0;
  order.refundedCents = refundedCents;
  await recordReversal(ctx, order, refundedCents - before);
  const isRefunded = refundedCents >= amountCents && !(await isReturnOfPart(ctx, order, payment));
  const status = refundedCents === 0 ? 'paid' : isRefunded ? 'refunded' : 'partially_refunded';
  order.moveTo(status);
  order.movePaymentTo(status);
  if (refundedCents > before) recordEvent(ctx, 'order.refunded', order.id);
  return status === 'refunded' ? undoSale(ctx, order) : 0;
}

/** Whether the last refund was for a return and the gift card still has a part of the order, for what was kept. */
async function isReturnOfPart(
  ctx: InTransaction,
  { id: orderId }: Order,
  { refunds: [last] }: PaymentSnapshot,
): Promise<boolean> {
  if (!last?.refundId) return false;
  const returns = await ctx.tx.execute(sql`
    select 1 from payment_refunds
    where tenant_id = ${ctx.tenant.id} and id = ${last.refundId} and order_id = ${orderId} and return_id is not null`);
  return returns.length > 0 && (await leftToReturn(ctx, { orderId })) > 0;
}

/** For the store's accounts, which count each refund on its day. */
async function recordReversal(ctx: InTransaction, order: Order, amountCents: number): Promise<void> {
  await ctx.tx.execute(sql`
    insert into payment_reversals (tenant_id, order_id, cause, snapshot_number, amount_cents, at)
    values (${ctx.tenant.id}, ${order.id}, 'refund', ${order.paymentSnapshotNumber}, ${amountCents},
      ${ctx.clock.now()})`);
}

async function applyDisputes(
  ctx: InTransaction,
  order: Order,
  { isDisputed, lostCents }: PaymentSnapshot,
): Promise<void> {
  await recordLoss(ctx, order, lostCents);
  const status = isDisputed ? 'open' : lostCents > 0 ? 'lost' : order.disputeStatus && 'won';
  if (status !== order.disputeStatus) {
    order.disputeStatus = status;
    recordEvent(ctx, status === 'open' ? 'order.disputed' : 'order.dispute_closed', order.id);
  }
  if (!isDisputed) order.resolve(disputed.code);
  if (lostCents === 0) order.resolve(disputeLost.code);
  if (lostCents > 0) await flagAttention(ctx, order, disputeLost);
  if (isDisputed) await flagAttention(ctx, order, disputed);
}

/** For the store's accounts, too: only what differs from what was recorded of the order's disputes before. */
async function recordLoss(ctx: InTransaction, order: Order, lostCents: number): Promise<void> {
  await ctx.tx.execute(sql`
    insert into payment_reversals (tenant_id, order_id, cause, snapshot_number, amount_cents, at)
    select ${ctx.tenant.id}, ${order.id}, 'dispute', ${order.paymentSnapshotNumber}, ${lostCents} - before.cents,
      ${ctx.clock.now()}::timestamptz
    from (
      select coalesce(sum(amount_cents), 0)::int8 as cents from payment_reversals
      where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} and cause = 'dispute') as before
    where before.cents <> ${lostCents}`);
}
