import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { readOne } from '../database.ts';
import type { Order } from '../orders/index.ts';
import type { CheckoutStatusView } from './present.ts';

type StatusRow = Pick<Order, 'id' | 'orderNumber' | 'status' | 'paymentStatus' | 'fulfillmentStatus' | 'paidAt' | 'labels'>;

/** How far the order of a checkout is, with one statement; `undefined` when this store has none of that id. */
export async function readCheckoutStatus(ctx: Context, orderId: string): Promise<CheckoutStatusView | undefined> {
  const order = await readOne<StatusRow>(ctx, sql`
    select id, order_number as "orderNumber", status, payment_status as "paymentStatus",
      fulfillment_status as "fulfillmentStatus", paid_at as "paidAt", labels
    from orders where tenant_id = ${ctx.tenant.id} and id = ${orderId}`);
  return order && {
    order_id: order.id,
    order_number: order.orderNumber,
    status: order.status,
    payment_status: order.paymentStatus,
    fulfillment_status: order.fulfillmentStatus,
    paid_at: order.paidAt?.toISOString() ?? null,
    tracking: order.labels.map(({ service: _service, ...label }) => label),
    poll_after_ms: pollAfterMs(order),
  };
}

/** A shopper who just paid waits for this; a slow payment takes days. */
function pollAfterMs({ status, paymentStatus }: StatusRow): number {
  if (status !== 'pending') return seconds(60);
  return paymentStatus === 'processing' ? seconds(30) : 1500;
}
