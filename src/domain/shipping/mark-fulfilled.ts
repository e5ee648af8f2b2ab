import { transact } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { found } from '#src/lib/errors.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { type Order, type OrderLabel, takeMissingStock } from '../orders/index.ts';
import type { Label } from './label.ts';
import { lockOrderAndLabel } from './label-lease.ts';
import { labelReasonCodes } from './label-reasons.ts';
import { parcelCodes } from './parcel-attention.ts';
import { enqueueShippingMail, recordFulfillmentChange } from './reconcile-tracking.ts';
import { skipLabel } from './request-label.ts';
import { inProgress, notShippable, rejectUnshippable } from './retry-label.ts';
import { insertTracking } from './tracking.ts';

/** The first poll of a parcel that was sent by hand also registers it for tracking at the provider. */
const firstTrackingPollMs = seconds(1);

export interface ShippedByHand {
  readonly orderId: string;
  readonly carrier?: string | undefined;
  readonly trackingNumber?: string | undefined;
}

/**
 * Mark an order as shipped that was sent by hand: no label is bought for it. With carrier and tracking number, the
 * parcel is tracked, and its shopper can track it too. An order that was shipped before, whether it was refunded since or
 * not, may get another parcel, of which the shopper is notified, too. Where the first one came back or could not be
 * delivered, the goods are sent again: the order is shipped, and what was flagged of its parcels is resolved.
 *
 * @throws DomainError `not_found`, `label_in_progress` while an attempt holds the label, or `order_not_shippable`
 */
export async function markFulfilled(ctx: Context, { orderId, carrier, trackingNumber }: ShippedByHand): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { order, label } = found(await lockOrderAndLabel(ctx, orderId), 'order');
    if (label?.isHeldByAnother(ctx.clock.now())) throw inProgress();
    if (!order.shippedAt) {
      await rejectUnshippable(ctx, orderId);
      if (!order.mayMoveFulfillmentTo('shipped')) throw notShippable('This order requires no shipping.');
    }
    if (label && !label.isFinished) await closeLabel(ctx, label);
    const parcel = carrier && trackingNumber ? { carrier, trackingNumber } : undefined;
    const known = order.labels.find((label) => label.tracking_number === parcel?.trackingNumber);
    const isFurther = order.shippedAt && parcel && !known;
    await takeMissingStock(ctx, order);
    if (isFurther && isUndelivered(order)) order.correctFulfillment('shipped');
    await recordFulfillmentChange(ctx, order, {
      ...(!order.shippedAt && { status: 'shipped' }),
      resolved: [...labelReasonCodes, 'oversold', ...(isFurther ? parcelCodes : [])],
      // What is known of the same parcel stays: its label, and how far it has come.
      ...(parcel && known?.carrier !== parcel.carrier && { label: trackByHand(ctx, orderId, parcel) }),
    });
    if (isFurther && !order.importedAt) await enqueueShippingMail(ctx, order);
    await recordAudit(ctx, {
      action: 'order.fulfilled_by_hand',
      subjectKind: 'order',
      subjectId: orderId,
      after: parcel && { carrier: codeOf(parcel.carrier) },
    });
  });
}

/** Whether what was sent did not reach the shopper: a further parcel sends it again. */
const isUndelivered = ({ fulfillmentStatus: status }: Order): boolean =>
  status === 'returned' || status === 'exception';

/** A parcel that was sent by hand, as a person wrote it. */
export interface ParcelByHand {
  readonly carrier: string;
  readonly trackingNumber: string;
}

/** Track a parcel that was sent by hand. @returns it as its order shows it */
export function trackByHand(
  ctx: InTransaction,
  orderId: string,
  { carrier, trackingNumber }: ParcelByHand,
): OrderLabel {
  insertTracking(ctx, {
    orderId,
    labelId: null,
    carrier: codeOf(carrier),
    carrierName: carrier,
    service: null,
    trackingNumber,
    trackingUrl: null,
    followed: false,
    firstPollMs: firstTrackingPollMs,
  });
  return { carrier, service: null, tracking_number: trackingNumber, tracking_url: null, status: 'transit' };
}

/** An open purchase stays open: if it turns out to have been made, it is refunded as a duplicate. */
async function closeLabel(ctx: InTransaction, label: Label): Promise<void> {
  if (label.state === 'buying') label.moveTo('needs_attention');
  if (label.buyingSince) label.recheckAt = ctx.clock.now();
  await skipLabel(ctx, label, 'by_hand');
}

/** The provider's name of a carrier: `USPS` is `usps`, `DHL Express` is `dhl_express`. */
const codeOf = (carrier: string) =>
  carrier
    .trim()
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '_');
