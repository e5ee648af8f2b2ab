import { transact } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, type Order } from '../orders/index.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { recordPurchase } from './adopt-purchase.ts';
import { unlinkParcel } from './begin-tracking.ts';
import type { Label } from './label.ts';
import { lockLabel, orderOfLabel } from './label-lease.ts';
import { flagUnheld } from './raise-label.ts';
import { recordDuplicates, recordRejections } from './record-duplicates.ts';

/**
 * Compare what was bought with what a label knows of: a purchase that nobody waits for any more becomes the label's,
 * whatever was bought besides is a duplicate, and a price that was asked back and is not given back is a person's. So is
 * a label that somebody gave back at the provider itself: whether another is wanted is not ours to say.
 *
 * @throws Snooze while a run holds the label: it may be about to adopt the same purchase
 */
export async function matchPurchases(
  ctx: Context,
  labelId: string,
  purchases: readonly LabelPurchase[],
): Promise<void> {
  const orderId = purchases.some(({ state }) => state !== 'undecided' && state !== 'failed')
    ? await orderOfLabel(ctx, labelId)
    : undefined;
  if (!orderId) return;

  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (!label) return;
    const own = purchases.filter((purchase) => label.owns(purchase) && isUpdate(label, purchase));
    if (own.length === 0) return;
    if (label.isHeldByAnother(ctx.clock.now())) throw new Snooze(seconds(5), 'a run holds the label');

    const bought = own.filter(({ state }) => state === 'purchased');
    // One of a rate that was let go since is for another parcel, or too late.
    const awaited = bought.find(({ rateId }) => rateId === null || rateId === label.rateId);
    if (awaited && !label.isFinished) await recordPurchase(ctx, order, label, awaited);
    label.updatedAt = ctx.clock.now();
    await ctx.tx.em.flush();
    await recordDuplicates(ctx, label, bought);
    if (order) await recordRejections(ctx, label, own);
    if (order && own.some(isBackAtProvider)) await flagRefunded(ctx, order, label);
  });
}

function isUpdate(label: Label, purchase: LabelPurchase): boolean {
  const { id, state } = purchase;
  if (id === label.purchaseId)
    return label.state === 'purchased' ? isBackAtProvider(purchase) : state === 'refund_rejected';
  return state === 'purchased' || state === 'refund_rejected';
}

const isBackAtProvider = ({ state }: LabelPurchase) => state === 'refunding' || state === 'refunded';

/** What we are giving back ourselves, and what is on its way all the same, is no news to anybody. */
async function flagRefunded(ctx: InTransaction, order: Order, label: Label): Promise<void> {
  if (label.voidingSince || order.shippedAt || !order.isPaid) return;
  await unlinkParcel(ctx, label);
  order.labels = order.labels.filter(({ tracking_number }) => tracking_number !== label.trackingNumber);
  label.wasVoidedAtProvider();
  await flagUnheld(ctx, order, label, 'carrier_error', 'The label was given back at the parcel provider.');
}
