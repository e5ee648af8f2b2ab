import { fromNow } from '#src/lib/clock.ts';
import { randomText } from '#src/lib/crypto.ts';
import { seconds } from '#src/lib/duration.ts';
import { NeedsPerson, ProviderError, Snooze } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { transact } from '../database.ts';
import { lockOrder, recordFulfillment } from '../orders/index.ts';
import { closeFailedPromises } from './close-failed-promises.ts';
import { leaseMs, lockLabel, orderOfLabel } from './label-lease.ts';
import { withoutReason } from './label-reasons.ts';
import { laterIfDenied } from './later-if-denied.ts';
import { openAccount } from './open-account.ts';
import { labelNotRefunded } from './record-duplicates.ts';
import { finishVoid, type HeldLabel, letGo } from './void-label.ts';

/**
 * Give back the label of an order that was refunded, unless its parcel has moved or the order is paid for after all.
 * One whose purchase is open is left to its own run: it is withdrawn when the purchase turns up.
 *
 * @throws Snooze while a run holds it; NeedsPerson when the provider does not take it back
 */
export async function withdrawLabel(ctx: Context, { labelId }: { labelId: string }): Promise<void> {
  const orderId = await orderOfLabel(ctx, labelId);
  const held = orderId && (await holdForWithdrawal(ctx, { orderId, labelId }));
  if (!held) return;
  await askBack(ctx, held);
  await finishVoid(ctx, held);
  ctx.log.info({ label: labelId }, 'the label of a refunded order was given back');
}

interface Bought extends HeldLabel {
  readonly purchaseId: string;
}

/** `undefined` where nothing is to be asked back. What was not bought is closed here. */
async function holdForWithdrawal(ctx: Context, { orderId, labelId }: { orderId: string; labelId: string }): Promise<Bought | undefined> {
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (order?.status !== 'refunded' || order.shippedAt || !label || label.state === 'voided') return undefined;
    if (label.isHeldByAnother(ctx.clock.now())) throw new Snooze(seconds(5), 'a run holds the label');
    if (label.buyingSince) return undefined;
    if (label.state === 'purchased' && label.purchaseId) {
      const token = randomText(20);
      label.hold(token, fromNow(ctx.clock, leaseMs(ctx)));
      return { orderId, labelId, token, purchaseId: label.purchaseId };
    }
    label.moveTo('skipped');
    label.reasonCode = 'not_required';
    label.nextAttemptAt = null;
    label.updatedAt = ctx.clock.now();
    await closeFailedPromises(ctx, label);
    await recordFulfillment(ctx, orderId, {
      ...(order.mayMoveFulfillmentTo('unfulfilled') && { status: 'unfulfilled' }), ...withoutReason(order),
    });
    return undefined;
  });
}

async function askBack(ctx: Context, held: Bought): Promise<void> {
  const opened = await openAccount(ctx);
  try {
    if (!opened) throw new ProviderError('shippo', 'denied', 'The store has no account any more.');
    await ctx.ports.shipping.refundPurchase(opened.account, held.purchaseId, { signal: ctx.signal });
  } catch (error) {
    await transact(ctx, (ctx) => letGo(ctx, held));
    await laterIfDenied(ctx, opened, error);
    if (!(error instanceof ProviderError) || error.failure !== 'refused') throw error;
    throw new NeedsPerson(await raiseRefusal(ctx, held.orderId));
  }
}

/** Answers what stands on the board. */
async function raiseRefusal(ctx: Context, orderId: string): Promise<string> {
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (order && !order.attentionCode) await recordFulfillment(ctx, orderId, { attention: labelNotRefunded });
    return `${order?.orderNumber}: ${labelNotRefunded.code}. ${labelNotRefunded.detail}`;
  });
}
