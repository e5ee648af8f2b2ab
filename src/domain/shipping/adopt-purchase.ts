import { fromNow } from '#src/lib/clock.ts';
import { recordEvent } from '#src/outbox/record-event.ts';
import type { InTransaction } from '../context.ts';
import { type Order, recordFulfillment } from '../orders/index.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { beginTracking } from './begin-tracking.ts';
import { enqueueIfRefunded } from './call-label-off.ts';
import { closeFailedJobs } from './close-failed-promises.ts';
import type { Label } from './label.ts';
import { firstRecheckMs } from './label-lease.ts';
import { labelReasonCodes } from './label-reasons.ts';

/**
 * Make a purchase the label's own: the order gets its tracking number, the parcel is followed, and whoever listens
 * hears of it. The order and the label are locked.
 */
export async function recordPurchase(
  ctx: InTransaction,
  order: Order | undefined,
  label: Label,
  purchase: LabelPurchase,
): Promise<void> {
  const neededManualAction = Boolean(label.flaggedCode);
  label.wasBought(purchase, ctx.clock.now());
  if (label.buyNumber > 1) label.recheckAt = fromNow(ctx.clock, firstRecheckMs(ctx));
  recordEvent(ctx, 'label.purchased', label.id);
  if (neededManualAction) await closeFailedJobs(ctx, label);
  if (!order) return;
  enqueueIfRefunded(ctx, order, label);

  const { rate, trackingNumber, trackingUrl } = label;
  await recordFulfillment(ctx, order.id, {
    ...(order.mayMoveFulfillmentTo('label_purchased') && { status: 'label_purchased' }),
    resolved: labelReasonCodes,
    ...(trackingNumber && {
      label: {
        carrier: rate?.carrierName ?? '',
        service: rate?.service ?? null,
        tracking_number: trackingNumber,
        tracking_url: trackingUrl ?? null,
        status: 'pre_transit',
      },
    }),
  });
  await beginTracking(ctx, label);
}
