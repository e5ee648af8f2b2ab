import { isDeepStrictEqual } from 'node:util';
import { found } from '#src/lib/errors.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import type { InTransaction } from '../context.ts';
import { lockOrder, saveOrder } from './lock-order.ts';
import type { Attention, FulfillmentStatus, Order, OrderLabel } from './order.ts';

/** What happened to the parcel of an order. */
export interface FulfillmentUpdate {
  readonly status?: FulfillmentStatus;
  /** Replaces the one with the same tracking number. */
  readonly label?: OrderLabel;
  /** The codes of the attentions that are over. */
  readonly resolved?: readonly string[];
  readonly attention?: Attention;
}

/**
 * Write down how far an order is on its way. The first time that it is shipped, `order.shipped` is recorded, and
 * `order.delivered` the first time that it has come; what was known already changes nothing.
 *
 * @throws ForbiddenTransition when the fulfilment cannot go there from where it is
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
