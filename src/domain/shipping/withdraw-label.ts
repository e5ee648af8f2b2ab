import { transact } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { ManualActionRequired, ProviderError, Snooze } from '#src/lib/errors.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, type Order, recordFulfillment } from '../orders/index.ts';
import { closeFailedJobs } from './close-failed-promises.ts';
import { type HeldLabel, holdToRefund, releaseHeldLabel, recordVoided } from './give-back.ts';
import { isFinal } from './is-final.ts';
import type { Label } from './label.ts';
import { lockLabel, orderOfLabel } from './label-lease.ts';
import { labelReasonCodes } from './label-reasons.ts';
import { laterIfDenied } from './later-if-denied.ts';
import { openAccount } from './open-account.ts';
import { labelNotRefunded } from './record-duplicates.ts';

/**
 * Give back the label that somebody began to give back, or that of an order that was refunded, unless its parcel has
 * moved or the order is paid for after all. One whose purchase is open is left to its own run: it is withdrawn when the
 * purchase turns up.
 *
 * @throws Snooze while a run holds it; ManualActionRequired when the provider does not take it back
 */
export async function refundUnusedLabel(ctx: Context, { labelId }: { labelId: string }): Promise<void> {
  const orderId = await orderOfLabel(ctx, labelId);
  const held = orderId && (await holdForRefund(ctx, { orderId, labelId }));
  if (!held) return;
  if (held.purchaseId) await requestRefundOfLabel(ctx, { ...held, purchaseId: held.purchaseId });
  await recordVoided(ctx, held);
  ctx.log.info({ label: labelId }, 'a label was given back');
}

/** Nobody tries to give it back any more: a person has to see to it. */
export async function failLabelRefund(ctx: Context, { labelId }: { labelId: string }): Promise<void> {
  const orderId = await orderOfLabel(ctx, labelId);
  if (orderId) await flagRejection(ctx, orderId);
}

/** `undefined` where nothing is to be given back. The label of a refunded order that was not bought is closed here. */
async function holdForRefund(
  ctx: Context,
  { orderId, labelId }: { orderId: string; labelId: string },
): Promise<HeldLabel | undefined> {
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (!order || !label || label.state === 'voided') return undefined;
    const isCalledOff = order.status === 'refunded' && !order.shippedAt;
    if (!label.voidingSince && !isCalledOff) return undefined;
    if (label.isHeldByAnother(ctx.clock.now())) throw new Snooze(seconds(5), 'a run holds the label');
    if (label.buyingSince) return undefined;
    if (label.voidingSince || (label.state === 'purchased' && label.purchaseId)) return holdToRefund(ctx, label);
    await close(ctx, order, label);
    return undefined;
  });
}

async function close(ctx: InTransaction, order: Order, label: Label): Promise<void> {
  label.moveTo('skipped');
  label.reasonCode = 'not_required';
  label.nextAttemptAt = null;
  label.updatedAt = ctx.clock.now();
  await closeFailedJobs(ctx, label);
  await recordFulfillment(ctx, order.id, {
    ...(order.mayMoveFulfillmentTo('unfulfilled') && { status: 'unfulfilled' }),
    resolved: [...labelReasonCodes, 'oversold'],
  });
}

async function requestRefundOfLabel(ctx: Context, held: HeldLabel & { readonly purchaseId: string }): Promise<void> {
  const opened = await openAccount(ctx);
  try {
    if (!opened) throw new ProviderError('shippo', 'denied', 'The store has no account any more.');
    await ctx.ports.shipping.refundPurchase(opened.account, held.purchaseId, { signal: ctx.signal });
  } catch (error) {
    const isRejected = isFinal(error);
    await transact(ctx, (ctx) => releaseHeldLabel(ctx, held, { isOver: isRejected }));
    if (isRejected) throw new ManualActionRequired(await flagRejection(ctx, held.orderId));
    await laterIfDenied(ctx, opened, error);
    throw error;
  }
}

/** Answers what stands on the board. */
async function flagRejection(ctx: Context, orderId: string): Promise<string> {
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (order) await recordFulfillment(ctx, orderId, { attention: labelNotRefunded });
    return `${order?.orderNumber}: ${labelNotRefunded.code}. ${labelNotRefunded.detail}`;
  });
}
