import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { transact } from '../database.ts';
import { lockOrder } from '../orders/index.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { adoptPurchase } from './adopt-purchase.ts';
import { lockLabel, orderOfLabel } from './label-lease.ts';
import { recordDuplicates, recordRefusals } from './record-duplicates.ts';

/**
 * Compare what was bought with what a label knows of: a purchase that nobody waits for any more becomes the label's,
 * whatever was bought besides is a duplicate, and a price that was asked back and is not given back is a person's.
 *
 * @throws Snooze while a run holds the label: it may be about to adopt the same purchase
 */
export async function matchPurchases(ctx: Context, labelId: string, purchases: readonly LabelPurchase[]): Promise<void> {
  const orderId = purchases.some(isNews) ? await orderOfLabel(ctx, labelId) : undefined;
  if (!orderId) return;

  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    const own = purchases.filter((purchase) => isNews(purchase) && label?.owns(purchase));
    if (!label || own.every(({ id, state }) => id === label.purchaseId && state === 'purchased')) return;
    if (label.isHeldByAnother(ctx.clock.now())) throw new Snooze(seconds(5), 'a run holds the label');

    const bought = own.filter(({ state }) => state === 'purchased');
    // One of a rate that was let go since is for another parcel, or too late.
    const awaited = bought.find(({ rateId }) => rateId === null || rateId === label.rateId);
    if (awaited && !label.isSettled) await adoptPurchase(ctx, order, label, awaited);
    label.updatedAt = ctx.clock.now();
    await ctx.tx.em.flush();
    await recordDuplicates(ctx, label, bought);
    if (order) await recordRefusals(ctx, order, label, own);
  });
}

const isNews = ({ state }: LabelPurchase) => state === 'purchased' || state === 'refund_rejected';
