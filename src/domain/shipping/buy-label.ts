import { fromNow } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { isFinalFailure, ProviderError, Snooze } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import type { LabelPurchase, Rate } from '../ports/shipping-gateway.ts';
import { isNotRemoved } from '../tenants/index.ts';
import { flagLabel } from './flag-label.ts';
import type { Label } from './label.ts';
import { takeLease } from './label-lease.ts';
import {
  completeAsPurchased,
  type Next,
  recordProviderError,
  recordPurchaseOutcome,
  waitFor,
  waitForDecision,
} from './record-outcome.ts';
import type { OpenedAccount } from './shipping-account.ts';

/** A rate, and a digest of what it was quoted for. */
interface Choice {
  readonly rate: Rate;
  readonly quotedFor: string;
}

/**
 * Buy the rate that is recorded, or that was chosen just now. Before the provider is called, the row records the rate
 * and that the label may be bought from now on. Where no response comes, that stays recorded until a lookup shows the
 * outcome.
 */
export async function buyLabel(ctx: Context, label: Label, account: OpenedAccount, choice?: Choice): Promise<Next> {
  if (choice) label.choose(choice.rate, choice.quotedFor);
  label.beginBuying(ctx.clock.now());
  const heldUntil = await takeLease(ctx, label, isNotRemoved(ctx));
  const { rateId, marker } = label;
  if (!rateId) throw new TypeError(`The label ${label.id} cannot be bought without a rate.`);
  const timeoutMs = ctx.settings.labelBuyTimeoutMs;
  // A process that was frozen since may have lost its lease: its request could be a second purchase.
  if (fromNow(ctx.clock, timeoutMs) > heldUntil) throw new Snooze(seconds(1), 'the lease ran out before the purchase');

  let purchase: LabelPurchase;
  try {
    purchase = await ctx.ports.shipping.buyLabel(account.account, { rateId, marker }, { timeoutMs });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.failure === 'away') {
      await takeLease(ctx, label);
      return 'look up';
    }
    // The provider responded without selling the label.
    label.wasNotBought();
    if (!isFinalFailure(error)) return recordProviderError(ctx, label, account, error);
    const { chosenManually } = label;
    label.dropRate();
    if (chosenManually) return flagLabel(ctx, label, 'no_matching_rate', error.message);
    return recordProviderError(ctx, label, account, error);
  }
  return recordPurchaseOutcome(ctx, label, purchase);
}

/**
 * Look up a purchase whose outcome is unknown. One empty lookup is not enough, because the purchase may still be in
 * progress.
 */
export async function lookupPurchase(ctx: Context, label: Label, account: OpenedAccount): Promise<Next> {
  let purchases: readonly LabelPurchase[];
  try {
    purchases = await ctx.ports.shipping.findPurchases(account.account, label.rateId ?? '', { signal: ctx.signal });
  } catch (error) {
    if (error instanceof ProviderError) return recordProviderError(ctx, label, account, error);
    throw error;
  }

  const own = purchases.filter((purchase) => label.owns(purchase));
  const [bought, ...others] = own.filter(({ state }) => state === 'purchased');
  if (bought) {
    await completeAsPurchased(ctx, label, bought, others);
    return 'done';
  }
  if (own.some(({ state }) => state === 'undecided')) return waitForDecision(ctx, label);
  const known = own.find(({ marker }) => marker === label.marker);
  return known ? recordPurchaseOutcome(ctx, label, known) : recordEmptyLookup(ctx, label);
}

/**
 * The second empty lookup, a grace period after the first, shows that nothing was bought. It counts as a failed attempt.
 */
async function recordEmptyLookup(ctx: Context, label: Label): Promise<Next> {
  const now = ctx.clock.now();
  const { labelLookupGraceMs: graceMs, labelRetryScheduleMs: schedule } = ctx.settings;
  if (!label.emptyLookupAt) {
    label.emptyLookupAt = now;
    return waitFor(ctx, label, Math.max(graceMs, schedule[label.failedAttempts + 1] ?? 0));
  }
  const stillMs = label.emptyLookupAt.getTime() + graceMs - now.getTime();
  if (stillMs > 0) return waitFor(ctx, label, stillMs);

  label.wasNotBought();
  label.failedAttempts += 1;
  if (schedule[label.failedAttempts] === undefined) return flagLabel(ctx, label, 'provider_error');
  await takeLease(ctx, label);
  return 'buy';
}
