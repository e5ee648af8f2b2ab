import { fromNow } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import type { LabelPurchase, Rate } from '../ports/shipping-gateway.ts';
import { isFinal } from './is-final.ts';
import { type Lease, step } from './label-lease.ts';
import type { OpenedAccount } from './open-account.ts';
import { recordProviderError } from './settle-error.ts';
import type { Next } from './settle-label.ts';
import { recordPurchaseOutcome } from './settle-purchase.ts';

/** A rate, and a digest of the parcel and the address that it was asked for. */
interface Choice {
  readonly rate: Rate;
  readonly quotedFor: string;
}

/**
 * Buy the rate that is written down, or that was chosen just now. Before it is asked for, the row names the rate and says
 * that the label may be bought from now on; where no answer comes, that stands until a look has settled it.
 */
export async function buyLabel(ctx: Context, lease: Lease, account: OpenedAccount, choice?: Choice): Promise<Next> {
  const heldUntil = await step(ctx, lease, (label) => {
    if (choice) label.choose(choice.rate, choice.quotedFor, false);
    label.beginBuying(ctx.clock.now());
  });
  const { rateId, marker } = lease.label;
  if (!rateId) throw new TypeError(`The label ${lease.labelId} is to be bought without a rate.`);
  const timeoutMs = ctx.settings.labelBuyTimeoutMs;
  // A process that was frozen since may no longer hold the label: what it sends now could be a second purchase.
  if (fromNow(ctx.clock, timeoutMs) > heldUntil) throw new Snooze(seconds(1), 'the lease ran out before the purchase');

  let purchase: LabelPurchase;
  try {
    purchase = await ctx.ports.shipping.buyLabel(account.account, { rateId, marker }, { timeoutMs });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.failure === 'away') {
      await step(ctx, lease, () => undefined);
      return 'look up';
    }
    // It answered, and did nothing.
    await step(ctx, lease, (label) => {
      label.wasNotBought();
      if (!label.chosenManually && isFinal(error)) label.dropRate();
    });
    return recordProviderError(ctx, lease, account, error);
  }
  return recordPurchaseOutcome(ctx, lease, purchase);
}
