import { refundUnusedLabel } from '#jobs/labels.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, seconds } from '#src/lib/duration.ts';
import { type ProviderError, Snooze } from '#src/lib/errors.ts';
import { enqueue, recordEvent } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, type Order, recordFulfillment } from '../orders/index.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { recordDuplicates } from './duplicate-labels.ts';
import { flagLabel } from './flag-label.ts';
import type { Label } from './label.ts';
import { firstRecheckMs, type Lease, step, underLease } from './label-lease.ts';
import { labelReasonCodes, type ReasonCode } from './label-reasons.ts';
import { pauseLabels } from './pause-labels.ts';
import { closeFailedJobs, enqueueAttempt } from './request-label.ts';
import type { OpenedAccount } from './shipping-account.ts';
import { beginTracking } from './tracking.ts';

/** How long a purchase may stay undecided at the provider before its label is flagged. */
const undecidedMs = hours(24);

/** Record the provider's response to the purchase that was requested. */
export async function recordPurchaseOutcome(ctx: Context, lease: Lease, purchase: LabelPurchase): Promise<Next> {
  switch (purchase.state) {
    case 'purchased':
      await completeAsPurchased(ctx, lease, purchase);
      return 'done';
    case 'undecided':
      return waitForDecision(ctx, lease);
    case 'failed':
      await step(ctx, lease, (label) => label.wasNotBought());
      return recordFailure(ctx, lease, purchase);
    default:
      // It was voided at the provider itself: an operator decides whether to buy another.
      return flagLabel(
        ctx,
        lease,
        'carrier_error',
        'The label was bought, then voided at the shipping provider.',
        (label) => label.wasNotBought(),
      );
  }
}

export async function waitForDecision(ctx: Context, lease: Lease): Promise<Next> {
  const requestedAt = lease.label.buyingSince?.getTime() ?? 0;
  if (ctx.clock.now().getTime() - requestedAt > undecidedMs) return flagLabel(ctx, lease, 'outcome_unknown');
  return waitFor(ctx, lease, ctx.settings.labelLookupGraceMs);
}

async function recordFailure(ctx: Context, lease: Lease, { failure }: LabelPurchase): Promise<Next> {
  const detail = failure?.detail ?? null;
  if (failure?.kind === 'address') return flagLabel(ctx, lease, 'address_invalid', detail);
  if (failure?.kind === 'funds') return flagLabel(ctx, lease, 'provider_insufficient_funds', detail);
  if (failure?.kind === 'temporary') return tryAgain(ctx, lease, 'carrier_error', detail);
  return flagLabel(ctx, lease, 'carrier_error', detail);
}

/** Record what a provider error means for the label. A purchase that is open stays open. */
export async function recordProviderError(
  ctx: Context,
  lease: Lease,
  account: OpenedAccount,
  error: ProviderError,
): Promise<Next> {
  if (error.failure === 'denied') {
    await pauseLabels(ctx, account);
    return flagLabel(ctx, lease, 'provider_auth');
  }
  if (error.failure === 'busy' && error.retryAfterSeconds !== undefined)
    return postpone(ctx, lease, error.retryAfterSeconds);
  return tryAgain(ctx, lease, error.failure === 'busy' ? 'provider_rate_limited' : 'provider_error', error.message);
}

/** The next step of an attempt: look up the open purchase, quote and buy, or nothing more. */
export type Next = 'look up' | 'buy' | 'done';

/** The label was bought. `others` are further purchases of the same rate. */
export async function completeAsPurchased(
  ctx: Context,
  lease: Lease,
  purchase: LabelPurchase,
  others: readonly LabelPurchase[] = [],
): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const order = await lockOrder(ctx, lease.orderId);
    await underLease(ctx, lease, async (label) => {
      await recordPurchase(ctx, order, label, purchase);
      await recordDuplicates(ctx, label, others);
    });
  });
}

/** The order needs no label. */
export async function completeAsSkipped(ctx: Context, lease: Lease): Promise<'done'> {
  await completeJob(ctx, (ctx) =>
    underLease(ctx, lease, async (label) => {
      label.moveTo('skipped');
      label.reasonCode = 'not_required';
      label.release();
      await closeFailedJobs(ctx, label);
    }),
  );
  return 'done';
}

/**
 * A try failed in a way that may pass: the next one is enqueued, later each time, until the schedule ends. Where a
 * purchase is open, the next try begins by looking it up.
 *
 * @throws ManualActionRequired when no try is left
 */
async function tryAgain(ctx: Context, lease: Lease, code: ReasonCode, detail: string | null = null): Promise<'done'> {
  const tries = lease.label.tries + 1;
  const waitMs = ctx.settings.labelRetryScheduleMs[tries];
  if (waitMs === undefined) return flagLabel(ctx, lease, lease.label.buyingSince ? 'outcome_unknown' : code, detail);
  return waitFor(ctx, lease, spread(waitMs), (label) => {
    label.tries = tries;
    label.reasonCode = code;
    label.reasonDetail = detail;
    if (label.state === 'quoting') label.moveTo('queued');
  });
}

/** End this attempt and enqueue the next one after a while. `note` records what this attempt found. */
export async function waitFor(
  ctx: Context,
  lease: Lease,
  waitMs: number,
  note: (label: Label) => void = () => undefined,
): Promise<'done'> {
  await completeJob(ctx, (ctx) =>
    underLease(ctx, lease, (label) => {
      note(label);
      enqueueAttempt(ctx, label, fromNow(ctx.clock, waitMs));
      label.release();
    }),
  );
  return 'done';
}

/** A provider that responds "retry later" for longer than this counts as failing. */
const postponedMaxMs = hours(6);

/**
 * The provider said when to retry, and did nothing: this counts as no try, unless it goes on for hours.
 * @throws Snooze
 */
async function postpone(ctx: Context, lease: Lease, retryAfterSeconds: number): Promise<'done'> {
  const now = ctx.clock.now();
  const { postponedSince } = lease.label;
  if (postponedSince && now.getTime() - postponedSince.getTime() > postponedMaxMs)
    return tryAgain(ctx, lease, 'provider_rate_limited');
  await transact(ctx, (ctx) =>
    underLease(ctx, lease, (label) => {
      if (label.state === 'quoting') label.moveTo('queued');
      label.postponedSince ??= now;
      label.nextAttemptAt = fromNow(ctx.clock, seconds(retryAfterSeconds));
      label.release();
    }),
  );
  throw new Snooze(seconds(retryAfterSeconds), 'the shipping provider asked to retry later');
}

/** Up to a fifth longer, so that labels that failed together are not all retried at the same moment. */
const spread = (waitMs: number) => Math.round(waitMs * (1 + Math.random() / 5));

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

/** Void a label that was bought while its order was being refunded. A job does it: the provider has to be called. */
function enqueueIfRefunded(ctx: InTransaction, order: Order, label: Label): void {
  if (order.status !== 'refunded' || order.shippedAt) return;
  enqueue(ctx, refundUnusedLabel, { labelId: label.id, kind: 'purchase', version: label.buyNumber });
}
