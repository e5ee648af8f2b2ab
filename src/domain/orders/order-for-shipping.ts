import { readOne } from '#src/database/transact.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { FulfillmentStatus, OrderStatus, PaymentStatus, ShippingAddress } from './order.ts';

/** The fields of an order that shipping needs. Weights are ounces per unit. */
export interface OrderForShipping {
  readonly id: string;
  readonly orderNumber: string;
  readonly status: OrderStatus;
  readonly paymentStatus: PaymentStatus;
  readonly fulfillmentStatus: FulfillmentStatus;
  readonly currency: string;
  readonly email: string | null;
  readonly shippingAddress: ShippingAddress | null;
  /** The codes of its open attentions. */
  readonly attentionCodes: readonly string[];
  readonly items: readonly { readonly quantity: number; readonly weightOz: number | null; readonly ships: boolean }[];
}

/** Read with one statement. Inside a transaction it sees what was flushed. */
export async function orderForShipping(ctx: Context, id: string): Promise<OrderForShipping | undefined> {
  return readOne<OrderForShipping>(
    ctx,
    sql`
    select o.id, o.order_number as "orderNumber", o.status, o.payment_status as "paymentStatus",
      o.fulfillment_status as "fulfillmentStatus", o.currency, o.email, o.shipping_address as "shippingAddress",
      jsonb_path_query_array(o.attentions, '$[*].code') as "attentionCodes",
      (select coalesce(json_agg(json_build_object(
          'quantity', i.quantity, 'weightOz', i.weight_oz, 'ships', i.ships) order by i.position), '[]')
        from order_items i where i.tenant_id = o.tenant_id and i.order_id = o.id) as items
    from orders o where o.tenant_id = ${ctx.tenant.id} and o.id = ${id}`,
  );
}

/** Whether an order has goods to ship, as part of another statement. */
export const hasGoodsToShip = (ctx: Context, orderId: string): Sql => sql`
  exists (select from order_items where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and ships)`;
