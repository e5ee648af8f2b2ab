import { readOne } from '#src/database/transact.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { presentAs } from '#src/lib/present-as.ts';
import { Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { fulfillmentStatuses, type Order, OrderLabelView, orderStatuses, paymentStatuses } from '../orders/index.ts';

/** The response of GET /checkout/{orderId}/status. */
export const CheckoutStatusView = Type.Object(
  {
    order_id: Id('ord'),
    order_number: Type.String({ examples: ['ORD-1001'] }),
    status: Type.Enum([...orderStatuses]),
    payment_status: Type.Enum([...paymentStatuses]),
    fulfillment_status: Type.Enum([...fulfillmentStatuses]),
    paid_at: Nullable(Timestamp),
    tracking: Type.Array(Type.Pick(OrderLabelView, ['carrier', 'tracking_number', 'tracking_url', 'status'])),
    poll_after_ms: Type.Integer({
      description: 'The recommended time until the next poll, in milliseconds.',
      examples: [1500],
    }),
  },
  { title: 'CheckoutStatus' },
);
export type CheckoutStatusView = Static<typeof CheckoutStatusView>;

type StatusRow = Pick<
  Order,
  'id' | 'orderNumber' | 'status' | 'paymentStatus' | 'fulfillmentStatus' | 'paidAt' | 'labels'
>;

/** @returns the status of a checkout's order, read with one statement; `undefined` when the store has no such order */
export async function readCheckoutStatus(ctx: Context, orderId: string): Promise<CheckoutStatusView | undefined> {
  const order = await readOne<StatusRow>(
    ctx,
    sql`
    select id, order_number as "orderNumber", status, payment_status as "paymentStatus",
      fulfillment_status as "fulfillmentStatus", paid_at as "paidAt", labels
    from orders where tenant_id = ${ctx.tenant.id} and id = ${orderId}`,
    { brief: true },
  );
  return (
    order &&
    presentAs(CheckoutStatusView, {
      ...order,
      orderId: order.id,
      tracking: order.labels.map(({ service: _service, ...label }) => label),
      pollAfterMs: pollAfterMs(order, ctx.clock.now()),
    })
  );
}

/** Often while a shopper waits for the payment and the label; rarely for a slow payment, which takes days. */
function pollAfterMs({ status, paymentStatus, fulfillmentStatus, paidAt }: StatusRow, now: Date): number {
  if (status === 'pending') return paymentStatus === 'processing' ? seconds(30) : 1500;
  const isBeingPacked =
    fulfillmentStatus === 'unfulfilled' && paidAt != null && now.getTime() - paidAt.getTime() < minutes(1);
  return isBeingPacked ? seconds(3) : seconds(60);
}
