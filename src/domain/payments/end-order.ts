import { recordEvent } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';
import { type Order, releaseHolds, saveOrder } from '../orders/index.ts';

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
