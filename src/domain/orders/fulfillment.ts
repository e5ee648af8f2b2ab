import { isDeepStrictEqual } from 'node:util';
import { readOne } from '#src/database/transact.ts';
import { found } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import {
  type Attention,
  type DisputeStatus,
  type FulfillmentStatus,
  lockOrder,
  type Order,
  type OrderLabel,
  type OrderStatus,
  type PaymentStatus,
  type ShippingAddress,
  saveOrder,
} from './order.ts';

/** A change of an order's fulfillment. */
export interface FulfillmentUpdate {
  readonly status?: FulfillmentStatus;
  /** Replaces the one with the same tracking number. */
  readonly label?: OrderLabel;
  /** The codes of the attentions that are resolved. */
  readonly resolved?: readonly string[];
  readonly attention?: Attention;
}

/**
 * Record the fulfillment of an order. `order.shipped` is recorded the first time that it is shipped, and
 * `order.delivered` the first time that it is delivered. What is recorded already changes nothing.
 *
 * @throws ForbiddenTransition when the change of status is not allowed
 */
export async function recordFulfillment(ctx: InTransaction, orderId: string, update: FulfillmentUpdate): Promise<void> {
  const order = found(await lockOrder(ctx, orderId), 'order');

  if (update.resolved) order.resolve(...update.resolved);
  if (update.attention) order.flag(update.attention);
  if (update.label) order.labels = withLabel(order.labels, update.label);
  if (update.status) moveFulfillment(ctx, order, update.status);
  await saveOrder(ctx, order);
}

function moveFulfillment(ctx: InTransaction, order: Order, status: FulfillmentStatus): void {
  order.moveFulfillmentTo(status);
  if ((status === 'shipped' || status === 'delivered') && !order.shippedAt) {
    order.shippedAt = ctx.clock.now();
    recordEvent(ctx, 'order.shipped', order.id);
  }
  if (status === 'delivered' && !order.deliveredAt) {
    order.deliveredAt = ctx.clock.now();
    recordEvent(ctx, 'order.delivered', order.id);
  }
}

function withLabel(labels: OrderLabel[], label: OrderLabel): OrderLabel[] {
  const known = labels.find((other) => other.tracking_number === label.tracking_number);
  if (isDeepStrictEqual(known, label)) return labels;
  return [...labels.filter((other) => other !== known), label];
}

/**
 * A query, to be joined to items `i` of orders `o`, for how many of each are not sent: `unsent`, those of returns that
 * are approved, or were when the order shipped: what is released later was not in the parcel.
 */
export const unsentOfItem: Sql = sql`lateral (
  select coalesce(sum(l.quantity), 0) as unsent
  from return_items l join returns t on t.tenant_id = l.tenant_id and t.id = l.return_id
  where l.tenant_id = i.tenant_id and l.order_item_id = i.id
    and t.approved_at < coalesce(o.shipped_at, 'infinity')
    and coalesce(t.released_at, 'infinity') >= coalesce(o.shipped_at, 'infinity'))`;

/** The fields of an order that shipping needs. Weights are ounces per unit, and quantities are those that are sent. */
export interface OrderForShipping {
  readonly id: string;
  readonly orderNumber: string;
  readonly status: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly fulfillmentStatus: FulfillmentStatus;
  readonly disputeStatus: DisputeStatus | null;
  readonly currency: string;
  readonly email: string | null;
  readonly shippingAddress: ShippingAddress | null;
  /** The codes of its open attentions. */
  readonly attentionCodes: readonly string[];
  readonly items: readonly { readonly quantity: number; readonly weightOz: number | null; readonly ships: boolean }[];
}

/** Read with one statement. Inside a transaction it sees what was flushed. */
export async function orderForShipping(ctx: Context, id: string): Promise<OrderForShipping | undefined> {
  const row = await readOne<{ order: OrderForShipping | null }>(
    ctx,
    sql`select ${orderForShippingOf(ctx, id)} as "order"`,
  );
  return row?.order ?? undefined;
}

/**
 * The same as JSON, as part of another statement; null where there is no such order. An item that was sold without a
 * weight has that which its variant got since.
 */
export const orderForShippingOf = (ctx: Context, id: string | Sql): Sql => sql`
  (select json_build_object('id', o.id, 'orderNumber', o.order_number, 'status', o.status,
      'paymentStatus', o.payment_status, 'fulfillmentStatus', o.fulfillment_status,
      'disputeStatus', o.dispute_status, 'currency', o.currency,
      'email', o.email, 'shippingAddress', o.shipping_address,
      'attentionCodes', jsonb_path_query_array(o.attentions, '$[*].code'),
      'items', (
        select coalesce(json_agg(json_build_object(
          'quantity', i.quantity - u.unsent, 'weightOz', coalesce(i.weight_oz, (
            select v.weight_oz from variants v where v.tenant_id = o.tenant_id and v.id = i.variant_id)),
          'ships', i.ships) order by i.position), '[]')
        from order_items i cross join ${unsentOfItem} as u where i.tenant_id = o.tenant_id and i.order_id = o.id))
    from orders o where o.tenant_id = ${ctx.tenant.id} and o.id = ${id})`;
