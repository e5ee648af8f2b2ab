import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { OrderStatus } from './order.ts';

/** What a return needs to know of an order. */
export interface ReturnableOrder {
  readonly id: string;
  readonly orderNumber: string;
  readonly status: OrderStatus;
  readonly email: string | null;
  readonly paidAt: Date | null;
  /** Null where it is not known that it was delivered. */
  readonly deliveredAt: Date | null;
  readonly items: readonly ReturnableItem[];
}

export interface ReturnableItem {
  readonly id: string;
  readonly variantId: string;
  readonly name: string;
  readonly quantity: number;
  /** How many of them are in a return already. */
  readonly returnedQuantity: number;
}

/** The order of this number, whatever the case of its letters, locked until the transaction ends. */
export async function lockReturnableOrder(
  ctx: InTransaction,
  orderNumber: string,
): Promise<ReturnableOrder | undefined> {
  const [order] = await ctx.tx.execute<Omit<ReturnableOrder, 'items'>>(sql`
    select id, order_number as "orderNumber", status, email, paid_at as "paidAt", delivered_at as "deliveredAt"
    from orders where tenant_id = ${ctx.tenant.id} and order_number = ${orderNumber.trim().toUpperCase()} for update`);
  if (!order) return undefined;
  // Read after the order was locked: a statement does not see what it had to wait for.
  const items = await ctx.tx.execute<ReturnableItem>(sql`
    select id, variant_id as "variantId", name, quantity, returned_quantity as "returnedQuantity"
    from order_items where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} order by position`);
  return { ...order, items };
}
