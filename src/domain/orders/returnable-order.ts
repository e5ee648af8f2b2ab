import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { OrderStatus } from './order.ts';
import { isOrderOf } from './order-number.ts';

/** The fields of an order that a return needs. */
export interface ReturnableOrder {
  readonly id: string;
  readonly orderNumber: string;
  readonly status: OrderStatus;
  readonly email: string;
  readonly paidAt: Date | null;
  /** Null where the delivery is not known. */
  readonly deliveredAt: Date | null;
  readonly items: readonly ReturnableItem[];
}

export interface ReturnableItem {
  readonly id: string;
  readonly variantId: string;
  readonly name: string;
  readonly quantity: number;
  /** How many are in a return already. */
  readonly returnedQuantity: number;
}

/** The order with this number, as a person writes it, and this email, locked until the transaction ends. */
export async function lockReturnableOrder(
  ctx: InTransaction,
  named: { readonly orderNumber: string; readonly email: string },
): Promise<ReturnableOrder | undefined> {
  const [order] = await ctx.tx.execute<Omit<ReturnableOrder, 'items'>>(sql`
    select id, order_number as "orderNumber", status, email, paid_at as "paidAt", delivered_at as "deliveredAt"
    from orders o where o.tenant_id = ${ctx.tenant.id} and ${isOrderOf(ctx, named)} for update`);
  if (!order) return undefined;
  // Read after the order was locked: the locking statement itself does not see changes that it waited for.
  const items = await ctx.tx.execute<ReturnableItem>(sql`
    select id, variant_id as "variantId", name, quantity, returned_quantity as "returnedQuantity"
    from order_items where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} order by position`);
  return { ...order, items };
}

/** A quantity of one item of an order. */
export interface ReturnLine {
  readonly itemId: string;
  readonly quantity: number;
}

/**
 * Reserve items of an order for a return. Call with the order locked since its items were read, and with no more of an
 * item in all than is in no other return.
 */
export async function reserveReturn(ctx: InTransaction, orderId: string, lines: readonly ReturnLine[]): Promise<void> {
  await ctx.tx.execute(sql`
    update order_items i set returned_quantity = i.returned_quantity + w.quantity
    from (
      select id, sum(quantity)::int as quantity
      from unnest(${lines.map(({ itemId }) => itemId)}::text[], ${lines.map(({ quantity }) => quantity)}::int[])
        as line(id, quantity)
      group by id) as w
    where i.tenant_id = ${ctx.tenant.id} and i.order_id = ${orderId} and i.id = w.id`);
}

/** Release items that were reserved for a return. */
export async function releaseReturn(ctx: InTransaction, orderId: string, lines: readonly ReturnLine[]): Promise<void> {
  const negative = lines.map(({ itemId, quantity }) => ({ itemId, quantity: -quantity }));
  await reserveReturn(ctx, orderId, negative);
}
