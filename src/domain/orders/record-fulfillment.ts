import { isDeepStrictEqual } from 'node:util';
import { found } from '#src/lib/errors.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';
import { lockOrder, saveOrder } from './lock-order.ts';
import type { Attention, FulfillmentStatus, Order, OrderLabel } from './order.ts';

/** A change of an order's fulfillment. */
export interface FulfillmentUpdate {
  readonly status?: FulfillmentStatus;
  /** Replaces the one with the same tracking number. */
  readonly label?: OrderLabel;
  /** The codes of the attentions that are resolved. */
  readonly resolved?: readonly string[];
  readonly attention?: Attention;
}

/**
 * Record the fulfillment of an order. `order.shipped` is recorded the first time that it is shipped, and
 * `order.delivered` the first time that it is delivered. What is recorded already changes nothing.
 *
 * @throws ForbiddenTransition when the change of status is not allowed
 */
export async function recordFulfillment(ctx: InTransaction, orderId: string, update: FulfillmentUpdate): Promise<void> {
  const order = found(await lockOrder(ctx, orderId), 'order');

  if (update.resolved) order.resolve(...update.resolved);
  if (update.attention) order.flag(update.attention);
  if (update.label) order.labels = withLabel(order.labels, update.label);
  if (update.status) moveFulfillment(ctx, order, update.status);
  await saveOrder(ctx, order);
}

function moveFulfillment(ctx: InTransaction, order: Order, status: FulfillmentStatus): void {
  order.moveFulfillmentTo(status);
  if ((status === 'shipped' || status === 'delivered') && !order.shippedAt) {
    order.shippedAt = ctx.clock.now();
    recordEvent(ctx, 'order.shipped', order.id);
  }
  if (status === 'delivered' && !order.deliveredAt) {
    order.deliveredAt = ctx.clock.now();
    recordEvent(ctx, 'order.delivered', order.id);
  }
}

function withLabel(labels: OrderLabel[], label: OrderLabel): OrderLabel[] {
  const known = labels.find((other) => other.tracking_number === label.tracking_number);
  if (isDeepStrictEqual(known, label)) return labels;
  return [...labels.filter((other) => other !== known), label];
}
