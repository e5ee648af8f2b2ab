import { transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { lockOrder, recordFulfillment } from '../orders/index.ts';

/** Somebody has seen that a second label was bought: it no longer needs attention once every second label of its order was seen. */
export async function acknowledgeDuplicate(
  ctx: Context,
  { purchaseId, orderId }: { purchaseId: string; orderId: string },
): Promise<void> {
  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    await ctx.tx.execute(sql`
      update duplicate_labels set acknowledged_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and purchase_id = ${purchaseId} and acknowledged_at is null`);
    const [other] = await ctx.tx.execute(sql`
      select d.purchase_id from duplicate_labels d join labels l on l.tenant_id = d.tenant_id and l.id = d.label_id
      where d.tenant_id = ${ctx.tenant.id} and l.order_id = ${orderId} and d.acknowledged_at is null limit 1`);
    if (order && !other) await recordFulfillment(ctx, orderId, { resolved: ['duplicate_voided'] });
  });
}
