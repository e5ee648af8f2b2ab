import type { InTransaction } from '../../context.ts';
import { type Attention, type Order, saveOrder } from '../../orders/index.ts';

/** Flag an order whose payment needs an operator. Call with the order locked. */
export async function flagAttention(ctx: InTransaction, order: Order, attention: Attention): Promise<void> {
  if (!order.flag(attention)) return;
  await saveOrder(ctx, order);
  ctx.log.error({ order: order.orderNumber, code: attention.code }, 'an order needs attention');
}
