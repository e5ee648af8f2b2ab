import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { transact } from '../database.ts';
import { lockOrder, recordFulfillment } from '../orders/index.ts';

/** Somebody has seen that a second label was bought: it no longer stands among what needs attention. */
export async function acknowledgeDuplicate(ctx: Context, { purchaseId, orderId }: { purchaseId: string; orderId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    await ctx.tx.run(sql`
      update duplicate_labels set acknowledged_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and purchase_id = ${purchaseId} and acknowledged_at is null`);
    if (order?.attentionCode === 'duplicate_voided') await recordFulfillment(ctx, orderId, { attention: null });
  });
}
