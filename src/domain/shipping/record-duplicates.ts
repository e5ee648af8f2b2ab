import { refundDuplicate } from '#jobs/labels.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';
import { recordFulfillment } from '../orders/index.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import type { Label } from './label.ts';

/**
 * A label was paid for that its order does not need: it is written down once, its price is asked back by itself, and
 * a person is told. The order is locked.
 */
export async function recordDuplicates(ctx: InTransaction, label: Label, purchases: readonly LabelPurchase[]): Promise<void> {
  for (const { id } of purchases.filter(({ id, state }) => state === 'purchased' && id !== label.purchaseId)) {
    const [row] = await ctx.tx.run(sql`
      insert into duplicate_labels (tenant_id, purchase_id, label_id, state, found_at)
      values (${ctx.tenant.id}, ${id}, ${label.id}, 'found', ${ctx.clock.now()})
      on conflict do nothing returning purchase_id`);
    if (!row) continue;
    enqueue(ctx, refundDuplicate, { purchaseId: id });
    ctx.log.error({ label: label.id, purchase: id }, 'a second label was bought and is refunded');
    await recordFulfillment(ctx, label.orderId, {
      attention: { code: 'duplicate_voided', detail: 'A second label was bought for this order; its price is being asked back. Use the first one.' },
    });
  }
}
