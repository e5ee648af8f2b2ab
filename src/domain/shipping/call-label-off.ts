import { refundUnusedLabel } from '#jobs/labels.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';
import type { Order } from '../orders/index.ts';
import type { Label } from './label.ts';
import { lockOrderAndLabel } from './label-lease.ts';

/**
 * All the money of an order went back: a label that was bought for it is to be given back too, and one that was not is
 * not bought any more. Promised here, because the provider has to be asked. The order is locked.
 */
export async function cancelLabel(ctx: InTransaction, order: Order): Promise<void> {
  const found = order.shippedAt ? undefined : await lockOrderAndLabel(ctx, order.id);
  if (found?.label)
    enqueue(ctx, refundUnusedLabel, { labelId: found.label.id, kind: 'refund', version: order.version });
}

/** The same for a label that was bought while its order was refunded. */
export function cancelIfRefunded(ctx: InTransaction, order: Order, label: Label): void {
  if (order.status !== 'refunded' || order.shippedAt) return;
  enqueue(ctx, refundUnusedLabel, { labelId: label.id, kind: 'purchase', version: label.buyNumber });
}
