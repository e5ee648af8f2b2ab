import { fromNow } from '#src/lib/clock.ts';
import { randomText } from '#src/lib/crypto.ts';
import { days } from '#src/lib/duration.ts';
import { DomainError, notFound, ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { conclude, transact } from '../database.ts';
import { lockOrder, recordFulfillment } from '../orders/index.ts';
import { closeFailedPromises } from './close-failed-promises.ts';
import { providerUnavailable } from './choose-rate.ts';
import { withoutReason } from './label-reasons.ts';
import { leaseMs, lockLabel, orderOfLabel } from './label-lease.ts';
import { openAccount } from './open-account.ts';
import { inProgress, refuseIfOpen } from './retry-label.ts';

/** How long the provider takes to say whether the price of a label is given back. */
const priceBackMs = days(1);

/**
 * Give a label back: its price is asked back where it was bought, and its order is without one again.
 *
 * @throws DomainError `not_found`, a conflict where its outcome is open or the parcel has moved, or
 *   `shipping_provider_unavailable`: then asking again is harmless
 */
export async function voidLabel(ctx: Context, { labelId }: { labelId: string }): Promise<void> {
  const orderId = await orderOfLabel(ctx, labelId);
  if (!orderId) throw notFound('label');
  const { token, purchaseId } = await holdForVoid(ctx, orderId, labelId);
  if (purchaseId) await refund(ctx, labelId, token, purchaseId);

  await finishVoid(ctx, { orderId, labelId, token });
}

/** The label was given back, or was never bought: its order is without one. */
export async function finishVoid(ctx: Context, { orderId, labelId, token }: HeldLabel): Promise<void> {
  await conclude(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (!order || label?.leaseToken !== token) throw inProgress();
    const now = ctx.clock.now();
    label.moveTo('voided');
    label.voidedAt = label.updatedAt = now;
    label.nextAttemptAt = null;
    // The provider decides on the price later: look whether it was given back.
    label.recheckAt = label.purchaseId ? fromNow(ctx.clock, priceBackMs) : null;
    label.release();
    await closeFailedPromises(ctx, label);
    await ctx.tx.run(sql`
      update trackings set next_poll_at = null where tenant_id = ${ctx.tenant.id} and label_id = ${labelId}`);
    order.labels = order.labels.filter(({ tracking_number }) => tracking_number !== label.trackingNumber);
    await recordFulfillment(ctx, orderId, {
      ...(order.mayMoveFulfillmentTo('unfulfilled') && { status: 'unfulfilled' }), ...withoutReason(order),
    });
    await recordAudit(ctx, { action: 'label.voided', subjectKind: 'order', subjectId: orderId });
  });
}

/** A label that is held by whoever gives it back. */
export interface HeldLabel {
  readonly orderId: string;
  readonly labelId: string;
  readonly token: string;
}

async function holdForVoid(ctx: Context, orderId: string, labelId: string): Promise<{ token: string; purchaseId: string | null }> {
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    const label = await lockLabel(ctx, labelId);
    if (!order || !label) throw notFound('label');
    refuseIfOpen(label);
    if (label.isHeldByAnother(ctx.clock.now())) throw inProgress();
    const mayVoid = ['purchased', 'needs_attention', 'queued', 'rate_chosen'].includes(label.state);
    if (!mayVoid || order.shippedAt) {
      throw notVoidable('This label cannot be voided any more.');
    }
    const token = randomText(20);
    label.hold(token, fromNow(ctx.clock, leaseMs(ctx)));
    return { token, purchaseId: label.purchaseId ?? null };
  });
}

async function refund(ctx: Context, labelId: string, token: string, purchaseId: string): Promise<void> {
  const opened = await openAccount(ctx);
  try {
    if (!opened) throw providerUnavailable();
    await ctx.ports.shipping.refundPurchase(opened.account, purchaseId, { signal: ctx.signal });
  } catch (error) {
    await transact(ctx, (ctx) => letGo(ctx, { labelId, token }));
    if (!(error instanceof ProviderError)) throw error;
    if (error.failure !== 'refused') throw providerUnavailable(error);
    throw notVoidable('The parcel provider does not take this label back any more.');
  }
}

export async function letGo(ctx: InTransaction, { labelId, token }: Omit<HeldLabel, 'orderId'>): Promise<void> {
  const label = await lockLabel(ctx, labelId);
  if (label?.leaseToken === token) label.release();
}

const notVoidable = (sentence: string) => new DomainError('conflict', 'label_not_voidable', sentence);
