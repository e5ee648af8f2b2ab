import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../../context.ts';
import { type Order, releaseHolds, restockOrder, saveOrder } from '../../orders/index.ts';
import { returnGiftCard } from '../../promotions/index.ts';
import { enqueueLabelRefund } from '../../shipping/index.ts';

/**
 * Close an order that will not be paid and release its holds. Call with the order locked; an order that is no longer
 * pending stays as it is.
 *
 *   expired          the time to pay it is over
 *   payment_failed   a slow payment failed
 *   canceled         its session could not be created
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
 * Undo the sale of a fully refunded order: return the gift card's part, unless the last refund was for a return (which
 * has credited the card its share already), restock goods that were not shipped, and cancel the label. Call with the
 * order locked.
 */
export async function undoSale(ctx: InTransaction, order: Order): Promise<void> {
  if (!(await wasReturned(ctx, order.id))) await returnGiftCard(ctx, { orderId: order.id });
  if (!order.shippedAt) await restockOrder(ctx, order.id);
  await enqueueLabelRefund(ctx, order);
}

/** Whether the last refund was for a return. */
async function wasReturned(ctx: InTransaction, orderId: string): Promise<boolean> {
  const [last] = await ctx.tx.execute<{ isReturn: boolean }>(sql`
    select return_id is not null as "isReturn" from payment_refunds
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and state <> 'refused'
    order by created_at desc, id desc limit 1`);
  return last?.isReturn ?? false;
}
