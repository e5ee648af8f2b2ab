import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/** The returns of an order are those of its shopper, who has another email now. Call with the order locked. */
export async function changeReturnEmail(
  ctx: InTransaction,
  { orderId, email }: { orderId: string; email: string },
): Promise<void> {
  await ctx.tx.execute(sql`
    update returns set email = ${email}, version = version + 1, updated_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`);
}
