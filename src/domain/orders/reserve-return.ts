import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/** So many pieces of an item of an order. */
export interface ReturnLine {
  readonly itemId: string;
  readonly quantity: number;
}

/**
 * Set pieces of an order aside for a return, all or nothing: never more of an item than were bought and are in no
 * other return. Each item is named once. Call with the order locked. Whether it could be done.
 */
export async function reserveReturn(
  ctx: InTransaction,
  orderId: string,
  lines: readonly ReturnLine[],
): Promise<boolean> {
  const reserved = await ctx.tx.execute(sql`
    with wanted as (
      select * from unnest(${lines.map(({ itemId }) => itemId)}::text[], ${lines.map(({ quantity }) => quantity)}::int[])
        as w(id, quantity)),
    fitting as (
      select i.id, w.quantity from order_items i join wanted w on w.id = i.id
      where i.tenant_id = ${ctx.tenant.id} and i.order_id = ${orderId} and i.returned_quantity + w.quantity <= i.quantity
      order by i.id for update of i)
    update order_items i set returned_quantity = i.returned_quantity + f.quantity from fitting f
    where i.tenant_id = ${ctx.tenant.id} and i.id = f.id and (select count(*) from fitting) = ${lines.length}
    returning i.id`);
  return reserved.length === lines.length;
}
