import { refundUnusedLabel as refundUnusedLabelJob } from '#jobs/labels.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';
import type { Order } from '../orders/index.ts';
import type { Label } from './label.ts';
import { lockOrderAndLabel } from './label-lease.ts';

/**
 * All the money of an order went back: a label that was bought for it is to be given back too, and one that was not is
 * not bought any more. Promised here, because the provider has to be asked. The order is locked.
 */
export async function enqueueLabelRefund(ctx: InTransaction, order: Order): Promise<void> {
  const found = order.shippedAt ? undefined : await lockOrderAndLabel(ctx, order.id);
  if (found?.label)
    enqueue(ctx, refundUnusedLabelJob, { labelId: found.label.id, kind: 'refund', version: order.version });
}

/** The same for a label that was bought while its order was refunded. */
export function enqueueIfRefunded(ctx: InTransaction, order: Order, label: Label): void {
  if (order.status !== 'refunded' || order.shippedAt) return;
  enqueue(ctx, refundUnusedLabelJob, { labelId: label.id, kind: 'purchase', version: label.buyNumber });
}
