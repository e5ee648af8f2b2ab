import { recordEvent } from '#src/outbox/record-event.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { lockOrder, type Order, saveOrder } from '../orders/index.ts';
import type { PaymentSnapshot } from '../ports/payment-snapshots.ts';
import type { Applied } from './apply-answer.ts';
import type { Answer } from './ask-provider.ts';
import { endOrder } from './end-order.ts';
import { isOurs } from './is-ours.ts';
import { undoSale } from './undo-sale.ts';

/** Bring an order into line with what of its payment went back, or is being fought over. */
export async function applyPayment(
  ctx: InTransaction,
  { payment, askedAt }: Extract<Answer, { subject: 'payment' }>,
): Promise<Applied> {
  if (!isOurs(ctx, payment)) return 'ignored';
  const order = await lockOrder(ctx, await orderIdOf(ctx, payment));
  if (!order) return 'unknown_order';
  if (!order.isPaid) {
    await endMismatch(ctx, order, payment);
    return 'applied';
  }
  if (!isPaymentOf(order, payment)) return applyForeign(ctx, order, payment);
  if (order.paymentAskedAt && order.paymentAskedAt > askedAt) return 'applied';

  order.paymentAskedAt = askedAt;
  await applyRefunds(ctx, order, payment);
  applyDispute(order, payment);
  await saveOrder(ctx, order);
  return 'applied';
}

/** What was paid and was not what was due went back to the shopper: the order is over. */
async function endMismatch(ctx: InTransaction, order: Order, payment: PaymentSnapshot): Promise<void> {
  if (order.attentionCode !== 'amount_mismatch' || payment.refundedCents < payment.amountCents) return;
  order.raise(null);
  await endOrder(ctx, order, 'canceled');
}

/** An order that was paid knows by what; where nothing was due, nothing paid it. */
const isPaymentOf = (order: Order, { paymentId }: PaymentSnapshot): boolean =>
  order.paymentId ? order.paymentId === paymentId : order.totalCents > 0;

/**
 * Another payment bears this order's marks: that of a later period, whose order has yet to be made, or a second one for
 * the same goods. What becomes of it changes nothing of what was bought.
 */
async function applyForeign(ctx: InTransaction, order: Order, payment: PaymentSnapshot): Promise<Applied> {
  if (payment.invoiceId) return 'unknown_order';
  if (order.attentionCode === 'paid_twice' && payment.refundedCents >= payment.amountCents) {
    order.raise(null);
    await saveOrder(ctx, order);
  }
  return 'applied';
}

/** A renewal's payment bears the marks of the order that began the subscription; its invoice knows its own. */
async function orderIdOf(ctx: InTransaction, { invoiceId, orderId }: PaymentSnapshot): Promise<string> {
  if (!invoiceId) return orderId ?? '';
  const [renewal] = await ctx.tx.run<{ orderId: string }>(sql`
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
  if (refundedCents < before) raiseFailure(order);
  if (status === 'refunded') await undoSale(ctx, order);
}

function raiseFailure(order: Order): void {
  if (order.attentionCode) return;
  order.raise({ code: 'refund_failed', detail: 'A refund failed at the shopper\'s bank: the money is back at the payment provider.' });
}

function applyDispute(order: Order, { dispute }: PaymentSnapshot): void {
  const isOurWord = order.attentionCode === 'disputed' || order.attentionCode === 'dispute_lost';
  if (dispute === 'open' && !order.attentionCode) {
    order.raise({ code: 'disputed', detail: 'The shopper\'s bank disputes this payment: answer it at the provider.' });
  } else if (dispute === 'lost' && (isOurWord || !order.attentionCode)) {
    order.raise({ code: 'dispute_lost', detail: 'The dispute was lost and the payment went back to the shopper.' });
  } else if (dispute === null && isOurWord) {
    order.raise(null);
  }
}
