import { ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { type Lease, step } from './label-lease.ts';
import type { OpenedAccount } from './open-account.ts';
import { flagLabel } from './raise-label.ts';
import { recordProviderError } from './settle-error.ts';
import { type Next, completeAsPurchased, waitFor } from './settle-label.ts';
import { recordPurchaseOutcome, waitForDecision } from './settle-purchase.ts';

/**
 * A purchase was asked for and nobody knows what came of it: look. One look right after is not enough, because the
 * purchase may still be under way.
 */
export async function lookUpPurchase(ctx: Context, lease: Lease, account: OpenedAccount): Promise<Next> {
  const { label } = lease;
  let purchases: readonly LabelPurchase[];
  try {
    purchases = await ctx.ports.shipping.findPurchases(account.account, label.rateId ?? '', { signal: ctx.signal });
  } catch (error) {
    if (error instanceof ProviderError) return recordProviderError(ctx, lease, account, error);
    throw error;
  }

  const own = purchases.filter((purchase) => label.owns(purchase));
  const [bought, ...others] = own.filter(({ state }) => state === 'purchased');
  if (bought) {
    await completeAsPurchased(ctx, lease, bought, others);
    return 'done';
  }
  if (own.some(({ state }) => state === 'undecided')) return waitForDecision(ctx, lease);
  const known = own.find(({ marker }) => marker === label.marker);
  return known ? recordPurchaseOutcome(ctx, lease, known) : recordEmptyLookup(ctx, lease);
}

/** The second empty look, a grace period after the first, says that nothing was bought. It counts as a try. */
async function recordEmptyLookup(ctx: Context, lease: Lease): Promise<Next> {
  const now = ctx.clock.now();
  const { labelLookupGraceMs: graceMs, labelRetryScheduleMs: schedule } = ctx.settings;
  const { emptyLookupAt, tries } = lease.label;
  if (!emptyLookupAt) {
    return waitFor(ctx, lease, Math.max(graceMs, schedule[tries + 1] ?? 0), (label) => {
      label.emptyLookupAt = now;
    });
  }
  const stillMs = emptyLookupAt.getTime() + graceMs - now.getTime();
  if (stillMs > 0) return waitFor(ctx, lease, stillMs);

  await step(ctx, lease, (label) => {
    label.wasNotBought();
    label.tries = tries + 1;
  });
  return schedule[tries + 1] === undefined ? flagLabel(ctx, lease, 'provider_error') : 'buy';
}
