import { refundDuplicate as refundDuplicateJob } from '#jobs/labels.ts';
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
export async function recordDuplicates(
  ctx: InTransaction,
  label: Label,
  purchases: readonly LabelPurchase[],
): Promise<void> {
  for (const { id } of purchases.filter(({ id, state }) => state === 'purchased' && id !== label.purchaseId)) {
    const [row] = await ctx.tx.execute(sql`
      insert into duplicate_labels (tenant_id, purchase_id, label_id, state, found_at)
      values (${ctx.tenant.id}, ${id}, ${label.id}, 'found', ${ctx.clock.now()})
      on conflict do nothing returning purchase_id`);
    if (!row) continue;
    enqueue(ctx, refundDuplicateJob, { purchaseId: id });
    ctx.log.error({ label: label.id, purchase: id }, 'a second label was bought and is refunded');
    await recordFulfillment(ctx, label.orderId, {
      attention: {
        code: 'duplicate_voided',
        detail: 'A second label was bought for this order; its price is being asked back. Use the first one.',
      },
    });
  }
}

/**
 * A price that was asked back is not given back after all: the carrier says that the label was used, or is too old.
 * Money is at stake, so a person is told, once. The order is locked.
 */
export async function recordRejections(
  ctx: InTransaction,
  label: Label,
  purchases: readonly LabelPurchase[],
): Promise<void> {
  for (const { id } of purchases.filter(({ state }) => state === 'refund_rejected')) {
    const [duplicate] = await ctx.tx.execute(sql`
      update duplicate_labels set state = 'refund_refused', settled_at = ${ctx.clock.now()}, acknowledged_at = null
      where tenant_id = ${ctx.tenant.id} and purchase_id = ${id} and state <> 'refund_refused' returning purchase_id`);
    if (duplicate) {
      ctx.log.error({ label: label.id, purchase: id }, 'the price of a second label is not given back');
      await recordFulfillment(ctx, label.orderId, {
        attention: {
          code: 'duplicate_voided',
          detail: 'A second label was bought for this order, and its price is not given back. Ask the parcel provider.',
        },
      });
    } else if (id === label.purchaseId && label.state !== 'purchased') {
      await recordFulfillment(ctx, label.orderId, { attention: labelNotRefunded });
    }
  }
}

/** What a person is told of a label that was given back and is not taken. */
export const labelNotRefunded = {
  code: 'label_not_refunded',
  detail:
    'The parcel provider does not give the price of a voided label back. See that its parcel stays, and ask the provider.',
};
