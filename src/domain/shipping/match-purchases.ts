import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { transact } from '../database.ts';
import { lockOrder } from '../orders/index.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { adoptPurchase } from './adopt-purchase.ts';
import { lockLabel, orderOfLabel } from './label-lease.ts';
import { recordDuplicates } from './record-duplicates.ts';

/**
 * Compare what was bought with what a label knows of: a purchase that nobody waits for any more becomes the label's,
 * and whatever was bought besides is a duplicate.
 *
 * @throws Snooze while a run holds the label: it may be about to adopt the same purchase
 */
export async function matchPurchases(ctx: Context, labelId: string, purchases: readonly LabelPurchase[]): Promise<void> {
  const bought = purchases.filter(({ state }) => state === 'purchased');
  const orderId = bought.length > 0 ? await orderOfLabel(ctx, labelId) : undefined;
  if (!orderId) return;

  await transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (!label || bought.every(({ id }) => id === label.purchaseId)) return;
    if (label.isHeldByAnother(ctx.clock.now())) throw new Snooze(seconds(5), 'a run holds the label');

    const [first] = bought;
    if (first && (label.state === 'buying' || label.state === 'needs_attention')) await adoptPurchase(ctx, order, label, first);
    label.updatedAt = ctx.clock.now();
    await ctx.tx.em.flush();
    if (label.isSettled) await recordDuplicates(ctx, label, bought);
  });
}
