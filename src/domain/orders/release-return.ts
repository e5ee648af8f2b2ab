import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { ReturnLine } from './reserve-return.ts';

/** What was set aside for a return will not come back after all. Each item is named once. */
export async function releaseReturn(ctx: InTransaction, orderId: string, lines: readonly ReturnLine[]): Promise<void> {
  await ctx.tx.execute(sql`
    update order_items i set returned_quantity = i.returned_quantity - w.quantity
    from unnest(${lines.map(({ itemId }) => itemId)}::text[], ${lines.map(({ quantity }) => quantity)}::int[])
      as w(id, quantity)
    where i.tenant_id = ${ctx.tenant.id} and i.order_id = ${orderId} and i.id = w.id`);
}
