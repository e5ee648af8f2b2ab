import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../../context.ts';
import { type Attention, lockOrder, type Order, saveOrder } from '../../orders/index.ts';
import type { PaymentSnapshot } from '../../ports/payment-snapshots.ts';
import { endOrder, undoSale } from '../orders/close-order.ts';
import { flagAttention } from '../orders/flag-attention.ts';
import type { ApplyResult, Snapshot } from './fetch-snapshot.ts';
import { isOwnObject } from './fetch-snapshot.ts';

const refundFailed: Attention = {
  code: 'refund_failed',
  detail: "A refund failed at the shopper's bank: the money is back at the payment provider.",
};
const disputed: Attention = {
  code: 'disputed',
  detail: "The shopper's bank disputes this payment: answer it at the provider.",
};
const disputeLost: Attention = {
  code: 'dispute_lost',
  detail: 'The dispute was lost and the payment went back to the shopper.',
};

/** Bring an order into line with what of its payment went back, or is being fought over. */
export async function applyPayment(
  ctx: InTransaction,
  { payment }: Extract<Snapshot, { subject: 'payment' }>,
): Promise<ApplyResult> {
  if (!isOwnObject(ctx, payment)) return 'ignored';
  const order = await lockOrder(ctx, await orderIdOf(ctx, payment));
  if (!order) return 'unknown_order';
  // Its session has yet to tell that it was paid: what went back of it counts after that.
  if (!order.isPaid) return (await isMismatched(ctx, order)) ? endMismatch(ctx, order, payment) : 'unknown_order';
  if (!isPaymentOf(order, payment)) return applyForeign(ctx, order, payment);
  if (order.paymentSnapshotNumber > payment.snapshotNumber) return 'applied';

  order.paymentSnapshotNumber = payment.snapshotNumber;
  await applyRefunds(ctx, order, payment);
  await applyDispute(ctx, order, payment);
  await saveOrder(ctx, order);
  return 'applied';
}

/**
 * What was paid and was not what was due went back to the shopper: the order is over, whether or not somebody has said
 * before that they saw it.
 */
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

/** An order that was paid knows by what; where nothing was due, nothing paid it. */
const isPaymentOf = (order: Order, { paymentId }: PaymentSnapshot): boolean =>
  order.paymentId ? order.paymentId === paymentId : order.totalCents > 0;

/**
 * Another payment bears this order's marks: that of a later period, whose order has yet to be made, or a second one for
 * the same goods. What becomes of it changes nothing of what was bought.
 */
async function applyForeign(ctx: InTransaction, order: Order, payment: PaymentSnapshot): Promise<ApplyResult> {
  if (payment.invoiceId) return 'unknown_order';
  if (payment.refundedCents >= payment.amountCents) {
    order.resolve('paid_twice');
    await saveOrder(ctx, order);
  }
  return 'applied';
}

/** A renewal's payment bears the marks of the order that began the subscription; its invoice knows its own. */
async function orderIdOf(ctx: InTransaction, { invoiceId, orderId }: PaymentSnapshot): Promise<string> {
  if (!invoiceId) return orderId ?? '';
  const [renewal] = await ctx.tx.execute<{ orderId: string }>(sql`
    select order_id as "orderId" from payment_invoices where tenant_id = ${ctx.tenant.id} and id = ${invoiceId}`);
  return renewal?.orderId ?? orderId ?? '';
}

/** What went back is what the provider says: a refund that fails later comes off again. */
async function applyRefunds(ctx: InTransaction, order: Order, payment: PaymentSnapshot): Promise<void> {
  const { refundedCents, amountCents } = payment;
  const before = order.refundedCents;
  if (refundedCents === before) return;
  order.refundedCents = refundedCents;
  const status = refundedCents === 0 ? 'paid' : refundedCents >= amountCents ? 'refunded' : 'partially_refunded';
  order.moveTo(status);
  order.movePaymentTo(status);
  if (refundedCents > before) recordEvent(ctx, 'order.refunded', order.id);
  if (refundedCents < before) await flagAttention(ctx, order, refundFailed);
  if (status === 'refunded') await undoSale(ctx, order);
}

async function applyDispute(ctx: InTransaction, order: Order, { dispute }: PaymentSnapshot): Promise<void> {
  if (dispute !== 'open') order.resolve(disputed.code);
  if (dispute !== 'lost') order.resolve(disputeLost.code);
  if (dispute) await flagAttention(ctx, order, dispute === 'open' ? disputed : disputeLost);
}
