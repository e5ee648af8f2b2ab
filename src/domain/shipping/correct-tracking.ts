import { transact } from '#src/database/transact.ts';
import { DomainError, found, notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { type FulfillmentStatus, lockOrder, type Order } from '../orders/index.ts';
import { type TrackingStatus, trackingStatuses } from '../ports/shipping-gateway.ts';
import { type ParcelByHand, trackByHand } from './mark-fulfilled.ts';
import { parcelAttentions } from './parcel-attention.ts';
import { enqueueShippingMail, recordFulfillmentChange } from './reconcile-tracking.ts';
import { fulfillmentFor } from './tracking.ts';

export interface TrackingCorrection {
  readonly orderId: string;
  /** The wrong one. */
  readonly trackingNumber: string;
  /** What replaces it; null removes it. */
  readonly correction: ParcelByHand | null;
}

/**
 * Correct or remove a tracking number that was entered by hand. The wrong one is no longer tracked, and what was reported
 * of it no longer counts: an order that it delivered is shipped again. The shopper is sent a new number. Where the order
 * has the right one as well, that parcel stays as it is.
 *
 * @throws DomainError `not_found`, also for a number that the order does not have, or `label_purchased` for that of a
 *   label
 */
export async function correctTracking(ctx: Context, correct: TrackingCorrection): Promise<void> {
  const { orderId, trackingNumber, correction } = correct;
  await transact(ctx, async (ctx) => {
    const order = found(await lockOrder(ctx, orderId), 'order');
    const wrong = parcelOf(order, trackingNumber);
    if (!wrong) throw notFound('tracking number of this order');
    if (wrong.carrier === correction?.carrier && trackingNumber === correction.trackingNumber) return;

    await removeParcel(ctx, order, trackingNumber);
    const isKnown = parcelOf(order, correction?.trackingNumber) !== undefined;
    const label = correction && !isKnown ? trackByHand(ctx, orderId, correction) : undefined;
    const attentions = await parcelAttentions(ctx, order);
    await recordFulfillmentChange(ctx, order, { ...(label && { label }), ...attentions });
    const isNew = label && label.tracking_number !== trackingNumber;
    if (isNew && !order.importedAt) await enqueueShippingMail(ctx, order);
    await recordAudit(ctx, {
      action: 'order.tracking_corrected',
      subjectKind: 'order',
      subjectId: orderId,
      before: { tracking_number: trackingNumber },
      after: { tracking_number: correction?.trackingNumber ?? null },
    });
  });
}

const parcelOf = ({ labels }: Order, trackingNumber: string | undefined) =>
  labels.find((label) => label.tracking_number === trackingNumber);

async function removeParcel(ctx: InTransaction, order: Order, trackingNumber: string): Promise<void> {
  const parcels = await ctx.tx.execute<{ trackingNumber: string; labelId: string | null; status: TrackingStatus }>(sql`
    select tracking_number as "trackingNumber", label_id as "labelId", status from trackings
    where tenant_id = ${ctx.tenant.id} and order_id = ${order.id}`);
  const removed = parcels.filter((parcel) => parcel.trackingNumber === trackingNumber);
  if (removed.some(({ labelId }) => labelId)) {
    throw new DomainError(
      'conflict',
      'label_purchased',
      'This is the tracking number of a label that was bought here.',
    );
  }
  await ctx.tx.execute(sql`
    delete from trackings
    where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} and tracking_number = ${trackingNumber}`);
  order.labels = order.labels.filter(({ tracking_number }) => tracking_number !== trackingNumber);

  if (removed.some(({ status }) => fulfillmentFor[status] === order.fulfillmentStatus)) {
    order.correctFulfillment(furthest(parcels.filter((parcel) => !removed.includes(parcel))));
  }
}

/** What the parcels of a shipped order say about it. */
function furthest(parcels: readonly { readonly status: TrackingStatus }[]): FulfillmentStatus {
  const reported = trackingStatuses.findLast((known) => parcels.some(({ status }) => status === known));
  return (reported && fulfillmentFor[reported]) ?? 'shipped';
}
