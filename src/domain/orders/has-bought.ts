import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** Whether somebody with this address (trimmed, lower case) has ever paid for this product. */
export async function hasBought(
  ctx: Context,
  { email, productId }: { email: string; productId: string },
): Promise<boolean> {
  const bought = await readOne(
    ctx,
    sql`
    select 1 as bought from orders o join order_items i on i.tenant_id = ${ctx.tenant.id} and i.order_id = o.id
    where o.tenant_id = ${ctx.tenant.id} and o.email = ${email} and o.paid_at is not null and i.product_id = ${productId}
    limit 1`,
  );
  return bought !== undefined;
}
