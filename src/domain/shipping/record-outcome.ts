import { refundUnusedLabel } from '#jobs/labels.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, seconds, withJitter } from '#src/lib/duration.ts';
import { type ProviderError, Snooze } from '#src/lib/errors.ts';
import { enqueue, recordEvent } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, type Order, type OrderLabel, recordFulfillment } from '../orders/index.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { flagLabel } from './flag-label.ts';
import type { Label } from './label.ts';
import { firstRecheckMs, saveHeld } from './label-lease.ts';
import { labelReasonCodes, type ReasonCode } from './label-reasons.ts';
import { pauseLabels } from './pause-labels.ts';
import { closeFailedJobs, enqueueAttempt, skipLabel } from './request-label.ts';
import type { OpenedAccount } from './shipping-account.ts';
import { beginTracking } from './tracking.ts';
import { recordDuplicates, recordVoidedAtProvider } from './unused-labels.ts';

/** How long a purchase may stay undecided at the provider before its label is flagged. */
const undecidedMs = hours(24);

/** Record the provider's response to the purchase that was requested. */
export async function recordPurchaseOutcome(ctx: Context, label: Label, purchase: LabelPurchase): Promise<Next> {
  switch (purchase.state) {
    case 'purchased':
      await completeAsPurchased(ctx, label, purchase);
      return 'done';
    case 'undecided':
      return waitForDecision(ctx, label);
    case 'failed':
      label.wasNotBought();
      return recordFailure(ctx, label, purchase);
    default:
      // It was voided at the provider itself: an operator decides whether to buy another.
      await transact(ctx, async (ctx) => {
        await recordVoidedAtProvider(ctx, label, { id: purchase.id, chargedAt: ctx.clock.now() });
        await saveHeld(ctx, label);
      });
      label.wasNotBought();
      return flagLabel(ctx, label, 'carrier_error', 'The label was bought, then voided at the shipping provider.');
  }
}

export async function waitForDecision(ctx: Context, label: Label): Promise<Next> {
  const requestedAt = label.buyingSince?.getTime() ?? 0;
  if (ctx.clock.now().getTime() - requestedAt > undecidedMs) return flagLabel(ctx, label, 'outcome_unknown');
  return waitFor(ctx, label, ctx.settings.labelLookupGraceMs);
}

async function recordFailure(ctx: Context, label: Label, { failure }: LabelPurchase): Promise<Next> {
  const detail = failure?.detail ?? null;
  if (failure?.kind === 'address') return flagLabel(ctx, label, 'address_invalid', detail);
  if (failure?.kind === 'funds') return flagLabel(ctx, label, 'provider_insufficient_funds', detail);
  if (failure?.kind === 'temporary') return tryAgain(ctx, label, 'carrier_error', detail);
  return flagLabel(ctx, label, 'carrier_error', detail);
}

/** Record what a provider error means for the label. A purchase that is open stays open. */
export async function recordProviderError(
  ctx: Context,
  label: Label,
  account: OpenedAccount,
  error: ProviderError,
): Promise<Next> {
  if (error.failure === 'denied') {
    await pauseLabels(ctx, account);
    return flagLabel(ctx, label, 'provider_auth');
  }
  if (error.failure === 'busy' && error.retryAfterSeconds !== undefined)
    return postpone(ctx, label, error.retryAfterSeconds);
  return tryAgain(ctx, label, error.failure === 'busy' ? 'provider_rate_limited' : 'provider_error', error.message);
}

/** The next step of an attempt: look up the open purchase, quote and buy, or nothing more. */
export type Next = 'look up' | 'buy' | 'done';

/** The label was bought. `others` are further purchases of the same rate. */
export async function completeAsPurchased(
  ctx: Context,
  label: Label,
  purchase: LabelPurchase,
  others: readonly LabelPurchase[] = [],
): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const order = await lockOrder(ctx, label.orderId);
    await recordPurchase(ctx, order, label, purchase);
    await recordDuplicates(ctx, label, others);
    await saveHeld(ctx, label);
  });
}

/** The order needs no label. */
export async function completeAsSkipped(ctx: Context, label: Label): Promise<'done'> {
  label.unwantedSince = null;
  label.release();
  await completeJob(ctx, async (ctx) => {
    const order = await lockOrder(ctx, label.orderId);
    await skipUnneeded(ctx, order, label);
    await saveHeld(ctx, label);
  });
  return 'done';
}

/** No label is bought, because nothing is sent: what the order was flagged for is resolved. Both are locked or held. */
export async function skipUnneeded(ctx: InTransaction, order: Order | undefined, label: Label): Promise<void> {
  await skipLabel(ctx, label, 'not_required');
  if (!order) return;
  await recordFulfillment(ctx, order.id, {
    ...(order.mayMoveFulfillmentTo('unfulfilled') && { status: 'unfulfilled' }),
    resolved: [...labelReasonCodes, 'oversold'],
  });
}

/**
 * The attempt failed temporarily: the next one is enqueued, later each time, until the schedule ends. Where a purchase
 * is open, the next one begins by looking it up.
 *
 * @throws ManualActionRequired when no attempt is left
 */
async function tryAgain(ctx: Context, label: Label, code: ReasonCode, detail: string | null = null): Promise<'done'> {
  const failedAttempts = label.failedAttempts + 1;
  const waitMs = ctx.settings.labelRetryScheduleMs[failedAttempts];
  if (waitMs === undefined) return flagLabel(ctx, label, label.buyingSince ? 'outcome_unknown' : code, detail);
  label.failedAttempts = failedAttempts;
  label.reasonCode = code;
  label.reasonDetail = detail;
  return waitFor(ctx, label, withJitter(waitMs, Math.random()));
}

/** End this attempt and enqueue the next one after a while. */
export async function waitFor(ctx: Context, label: Label, waitMs: number): Promise<'done'> {
  label.release();
  await completeJob(ctx, async (ctx) => {
    await enqueueAttempt(ctx, label, fromNow(ctx.clock, waitMs));
    await saveHeld(ctx, label);
  });
  return 'done';
}

/** A provider that responds "retry later" for longer than this counts as failing. */
const postponedMaxMs = hours(6);

/**
 * The provider said when to retry, and did nothing: this counts as no failed attempt, unless it goes on for hours.
 * @throws Snooze
 */
async function postpone(ctx: Context, label: Label, retryAfterSeconds: number): Promise<'done'> {
  const now = ctx.clock.now();
  label.postponedSince ??= now;
  if (now.getTime() - label.postponedSince.getTime() > postponedMaxMs)
    return tryAgain(ctx, label, 'provider_rate_limited');
  label.reasonCode = 'provider_rate_limited';
  label.reasonDetail = null;
  label.nextAttemptAt = fromNow(ctx.clock, seconds(retryAfterSeconds));
  label.release();
  await saveHeld(ctx, label);
  throw new Snooze(seconds(retryAfterSeconds), 'the shipping provider asked to retry later');
}

/**
 * Record a purchase as the label's own: the order gets its tracking number, its parcel is tracked, and
 * `label.purchased` is recorded. The order and the label are locked.
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
  enqueueIfUnwanted(ctx, order, label);

  await recordFulfillment(ctx, order.id, {
    ...(order.mayMoveFulfillmentTo('label_purchased') && { status: 'label_purchased' }),
    resolved: labelReasonCodes,
    ...parcelOf(label),
  });
  beginTracking(ctx, label);
}

/** The parcel of a label that was bought and has not moved, as its order shows it. */
export function parcelOf({ rate, trackingNumber, trackingUrl }: Label): { label?: OrderLabel } {
  if (!trackingNumber) return {};
  return {
    label: {
      carrier: rate?.carrierName ?? '',
      service: rate?.service ?? null,
      tracking_number: trackingNumber,
      tracking_url: trackingUrl ?? null,
      status: 'pre_transit',
    },
  };
}

/**
 * Void a label that was bought while its order was being refunded or returned. A job does it: the provider has to be
 * called.
 */
function enqueueIfUnwanted(ctx: InTransaction, order: Order, label: Label): void {
  const isUnwanted = order.status === 'refunded' || label.unwantedSince;
  if (!isUnwanted || order.shippedAt) return;
  enqueue(ctx, refundUnusedLabel, { labelId: label.id, kind: 'purchase', version: label.buyNumber });
}
