import { isMailAddress } from '#src/lib/mail-address.ts';
import type { InTransaction } from '../context.ts';
import { enqueueMail } from '../mail/index.ts';
import { type FulfillmentUpdate, type Order, readOrder, recordFulfillment } from '../orders/index.ts';

/**
 * Write down what became of an order's parcel, and the first time that it is on its way, promise its shopper the mail
 * that says so. The order is locked.
 */
export async function recordFulfillmentChange(
  ctx: InTransaction,
  order: Order,
  news: FulfillmentUpdate,
): Promise<void> {
  const wasShipped = Boolean(order.shippedAt);
  await recordFulfillment(ctx, order.id, news);
  if (wasShipped || !order.shippedAt || !order.email || !isMailAddress(order.email)) return;
  const view = await readOrder(ctx, order.id);
  if (view) await enqueueMail(ctx, { kind: 'shipped', to: order.email, subjectId: order.id, data: view });
}
