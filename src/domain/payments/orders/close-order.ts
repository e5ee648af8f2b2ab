import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../../context.ts';
import { type Order, releaseHolds, restockOrder, saveOrder } from '../../orders/index.ts';
import { returnGiftCard } from '../../promotions/index.ts';
import { enqueueLabelRefund } from '../../shipping/index.ts';

/**
 * An order will not be paid: what it held is given back. Call with the order locked; one that is not pending any
 * more is left alone.
 *
 *   expired          the time to pay it is over
 *   payment_failed   the money was on its way and did not come
 *   canceled         there was never anything to pay: its session could not be made
 */
export async function endOrder(
  ctx: InTransaction,
  order: Order,
  status: 'expired' | 'payment_failed' | 'canceled',
): Promise<void> {
  if (order.status !== 'pending') return;
  order.moveTo(status);
  if (status === 'payment_failed') order.movePaymentTo('failed');
  await releaseHolds(ctx, order.id);
  await saveOrder(ctx, order);
  if (status !== 'canceled') recordEvent(ctx, `order.${status}`, order.id);
}

/**
 * All the money of an order went back: so does what a gift card paid of it, unless it went back for goods that were
 * returned, whose share the card has; goods that were not sent are for sale again, and the label is called off. Call
 * with the order locked.
 */
export async function undoSale(ctx: InTransaction, order: Order): Promise<void> {
  if (!(await wasReturned(ctx, order.id))) await returnGiftCard(ctx, { orderId: order.id });
  if (!order.shippedAt) await restockOrder(ctx, order.id);
  await enqueueLabelRefund(ctx, order);
}

/** Whether the last of the money went back for a return. */
async function wasReturned(ctx: InTransaction, orderId: string): Promise<boolean> {
  const [last] = await ctx.tx.execute<{ isReturn: boolean }>(sql`
    select return_id is not null as "isReturn" from payment_refunds
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and state <> 'refused' order by created_at desc, id desc limit 1`);
  return last?.isReturn ?? false;
}
