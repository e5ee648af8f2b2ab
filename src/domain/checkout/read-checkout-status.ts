import { readOne } from '#src/database/transact.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { Order } from '../orders/index.ts';
import type { CheckoutStatusView } from './present.ts';

type StatusRow = Pick<
  Order,
  'id' | 'orderNumber' | 'status' | 'paymentStatus' | 'fulfillmentStatus' | 'paidAt' | 'labels'
>;

/** How far the order of a checkout is, with one statement; `undefined` when this store has none of that id. */
export async function readCheckoutStatus(ctx: Context, orderId: string): Promise<CheckoutStatusView | undefined> {
  const order = await readOne<StatusRow>(
    ctx,
    sql`
    select id, order_number as "orderNumber", status, payment_status as "paymentStatus",
      fulfillment_status as "fulfillmentStatus", paid_at as "paidAt", labels
    from orders where tenant_id = ${ctx.tenant.id} and id = ${orderId}`,
  );
  return (
    order && {
      order_id: order.id,
      order_number: order.orderNumber,
      status: order.status,
      payment_status: order.paymentStatus,
      fulfillment_status: order.fulfillmentStatus,
      paid_at: order.paidAt?.toISOString() ?? null,
      tracking: order.labels.map(({ service: _service, ...label }) => label),
      poll_after_ms: pollAfterMs(order, ctx.clock.now()),
    }
  );
}

/** A shopper who just paid waits for this, and sees the label come; a slow payment takes days. */
function pollAfterMs({ status, paymentStatus, fulfillmentStatus, paidAt }: StatusRow, now: Date): number {
  if (status === 'pending') return paymentStatus === 'processing' ? seconds(30) : 1500;
  const isBeingPacked =
    fulfillmentStatus === 'unfulfilled' && paidAt != null && now.getTime() - paidAt.getTime() < minutes(1);
  return isBeingPacked ? seconds(3) : seconds(60);
}
