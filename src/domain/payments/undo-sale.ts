import type { InTransaction } from '../context.ts';
import { type Order, restockOrder } from '../orders/index.ts';
import { returnGiftCard } from '../promotions/index.ts';
import { callLabelOff } from '../shipping/index.ts';

/**
 * All the money of an order went back: so does what a gift card paid of it, goods that were not sent are for sale again,
 * and the label is called off. Call with the order locked.
 */
export async function undoSale(ctx: InTransaction, order: Order): Promise<void> {
  await returnGiftCard(ctx, { orderId: order.id });
  if (!order.shippedAt) await restockOrder(ctx, order.id);
  await callLabelOff(ctx, order);
}
