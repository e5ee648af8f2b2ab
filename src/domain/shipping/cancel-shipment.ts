import { transact } from '#src/database/transact.ts';
import { DomainError, found } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { recordFulfillment } from '../orders/index.ts';
import type { TrackingStatus } from '../ports/shipping-gateway.ts';
import { lockOrderAndLabel } from './label-lease.ts';
import { parcelAttentions } from './parcel-attention.ts';
import { parcelOf } from './record-outcome.ts';
import { rejectUnshippable } from './retry-label.ts';
import { fulfillmentFor } from './tracking.ts';

/**
 * Take back that an order was marked as shipped by hand: it is to be sent, and the parcels that were entered by hand are
 * removed. A label that was bought for it can be used; one that was not bought because of the mark is bought on request.
 * An order that was not shipped stays as it is.
 *
 * @throws DomainError `not_found`, `order_shipped` where a carrier has reported that a parcel moved, or
 *   `order_not_shippable` where the order was refunded in full since
 */
export async function cancelShipment(ctx: Context, { orderId }: { orderId: string }): Promise<void> {
  await transact(ctx, async (ctx) => {
    const { order, label } = found(await lockOrderAndLabel(ctx, orderId), 'order');
    if (!order.shippedAt) return;
    await rejectUnshippable(ctx, orderId);
    if (order.fulfillmentStatus !== 'shipped' || (await hasMoved(ctx, orderId))) throw reported();

    const removed = await ctx.tx.execute<{ trackingNumber: string }>(sql`
      delete from trackings where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and label_id is null
      returning tracking_number as "trackingNumber"`);
    const numbers = removed.map(({ trackingNumber }) => trackingNumber);
    order.labels = order.labels.filter((parcel) => !numbers.includes(parcel.tracking_number));
    const bought = label?.state === 'purchased' ? label : undefined;
    order.correctFulfillment(bought ? 'label_purchased' : 'unfulfilled');
    // Its number may be that of a parcel by hand.
    const attentions = await parcelAttentions(ctx, order);
    await recordFulfillment(ctx, orderId, { ...(bought && parcelOf(bought)), ...attentions });
    await recordAudit(ctx, {
      action: 'order.shipment_canceled',
      subjectKind: 'order',
      subjectId: orderId,
      before: { tracking_numbers: numbers },
    });
  });
}

async function hasMoved(ctx: InTransaction, orderId: string): Promise<boolean> {
  const parcels = await ctx.tx.execute<{ status: TrackingStatus }>(sql`
    select status from trackings where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`);
  return parcels.some(({ status }) => fulfillmentFor[status]);
}

const reported = () =>
  new DomainError(
    'conflict',
    'order_shipped',
    'A carrier has reported that a parcel of this order is on its way. If its number is wrong, correct or remove it first.',
  );
