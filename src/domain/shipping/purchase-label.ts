import { fromNow } from '#src/lib/clock.ts';
import { shortDigest } from '#src/lib/crypto.ts';
import { hours, seconds } from '#src/lib/duration.ts';
import { NeedsPerson, ProviderError, Snooze } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { isDatabaseAway, transact } from '../database.ts';
import { orderForShipping } from '../orders/index.ts';
import type { LabelPurchase } from '../ports/shipping-gateway.ts';
import { type Assessment, assessOrder } from './assess-order.ts';
import { chooseCheapest, sortedByCost } from './choose-cheapest.ts';
import { type Lease, leaseMs, takeLabel, underLease } from './label-lease.ts';
import type { ReasonCode } from './label-reasons.ts';
import { type OpenedAccount, openAccount } from './open-account.ts';
import { pauseLabels, resumeIfPaused } from './pause-labels.ts';
import { giveUpLabel, putOff, raise, settlePurchased, settleSkipped, tryAgain, waitFor } from './settle-label.ts';

/** How long a purchase may stay undecided at the provider before a person is asked. */
const undecidedMs = hours(24);

/** The currency in which carriers sell labels within the US. */
const currency = 'USD';

/**
 * Bring one label on, as far as it goes: quote, choose the cheapest, write that down, buy, and write down what came
 * of it. It can be worked any number of times and by many at once, and die anywhere: the row says how far it came.
 *
 * The provider knows no idempotency key. So whenever a purchase was asked for and its outcome is not known, nothing
 * is bought before the provider was looked at: a bought label is adopted, and only two empty looks, a grace period
 * apart, say that there is none.
 *
 * @throws NeedsPerson when a person has to act; the message says what to do
 */
export async function purchaseLabel(ctx: Context, { labelId, attempt }: { labelId: string; attempt: number }): Promise<void> {
  const lease = await takeLabel(ctx, { labelId, attempt });
  if (!lease) return;
  try {
    await bringOn(ctx, lease);
  } catch (error) {
    const isForeseen = error instanceof NeedsPerson || error instanceof Snooze || isDatabaseAway(error);
    if (!isForeseen && ctx.run?.isLastRun) await giveUpLabel(ctx, { labelId });
    throw error;
  }
}

async function bringOn(ctx: Context, lease: Lease): Promise<void> {
  const account = await openAccount(ctx);
  if (lease.label.buyingSince) {
    if (!account) return raise(ctx, lease, 'provider_auth');
    if (account.pausedAt && !lease.pressed) return raise(ctx, lease, 'provider_auth');
    return findOutcome(ctx, lease, account);
  }
  await quoteAndBuy(ctx, lease, account);
}

/** Nothing is open: see what the order needs, choose a rate unless a good one is chosen, and buy. */
async function quoteAndBuy(ctx: Context, lease: Lease, account: OpenedAccount | undefined): Promise<void> {
  const order = await orderForShipping(ctx, lease.orderId);
  const assessment: Assessment = order ? assessOrder(order, account, lease.label.chosenByPerson) : { verdict: 'skip' };
  if (assessment.verdict === 'skip') return settleSkipped(ctx, lease);
  if (assessment.verdict === 'raise') return raise(ctx, lease, assessment.code);
  if (!account || (account.pausedAt && !lease.pressed)) return raise(ctx, lease, 'provider_auth');

  const parcel = shortDigest(JSON.stringify([assessment.to, assessment.parcel]), 20);
  if (!lease.label.hasUsableRate(ctx.clock.now(), parcel)) {
    if (lease.label.chosenByPerson && lease.label.rate) return raise(ctx, lease, 'no_matching_rate', 'The chosen rate is too old to be bought.');
    if (!(await chooseRate(ctx, lease, account, assessment, parcel))) return;
  }
  await buy(ctx, lease, account);
}

/** Ask for rates and write the chosen one down. Answers false where that was settled otherwise. */
async function chooseRate(
  ctx: Context,
  lease: Lease,
  account: OpenedAccount,
  { to, parcel }: Extract<Assessment, { verdict: 'ship' }>,
  quotedFor: string,
): Promise<boolean> {
  if (lease.label.state !== 'quoting') await step(ctx, lease, (label) => label.moveTo('quoting'));
  const { carriers } = account;
  let quote;
  try {
    quote = await ctx.ports.shipping.quote(account.account, { from: account.origin, to, parcel, carriers }, { signal: ctx.signal });
  } catch (error) {
    await settleQuoteError(ctx, lease, account, error);
    return false;
  }

  const reason = (code: ReasonCode, detail: string | null = null) => raise(ctx, lease, code, detail).then(() => false);
  if (!quote.anyCarrier) return reason('no_enabled_carrier');
  if (quote.rates.length === 0) {
    const codes = { address: 'address_invalid', parcel: 'no_rates', other: 'no_rates' } as const;
    return reason(codes[quote.refusal?.kind ?? 'other'], quote.refusal?.detail);
  }
  const rate = chooseCheapest(quote.rates, carriers, currency);
  if (!rate) return reason(sortedByCost(quote.rates, carriers).length === 0 ? 'no_enabled_carrier' : 'no_matching_rate');
  if (account.labelCostCapCents !== null && rate.amountCents > account.labelCostCapCents) return reason('cost_cap');
  await step(ctx, lease, (label) => label.choose(rate, quotedFor, false));
  return true;
}

async function settleQuoteError(ctx: Context, lease: Lease, account: OpenedAccount, error: unknown): Promise<void> {
  if (!(error instanceof ProviderError)) throw error;
  if (error.failure === 'refused') {
    const isAddress = error.code === 'address_to';
    return raise(ctx, lease, isAddress ? 'address_invalid' : 'provider_error', error.message);
  }
  await settleError(ctx, lease, account, error);
}

/** Buy the rate that is written down. Before this, the row says that the label may be bought from now on. */
async function buy(ctx: Context, lease: Lease, account: OpenedAccount): Promise<void> {
  const expiresAt = await step(ctx, lease, (label) => label.beginBuying(ctx.clock.now()));
  const { rateId, marker } = lease.label;
  if (!rateId) throw new TypeError(`The label ${lease.labelId} is to be bought without a rate.`);
  const timeoutMs = ctx.settings.labelBuyTimeoutMs;
  // A process that was frozen since may no longer hold the label: what it sends now could be a second purchase.
  if (fromNow(ctx.clock, timeoutMs) > expiresAt) throw new Snooze(seconds(1), 'the lease ran out before the purchase');

  let purchase: LabelPurchase;
  try {
    purchase = await ctx.ports.shipping.buyLabel(account.account, { rateId, marker }, { timeoutMs });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    if (error.failure === 'away') {
      await step(ctx, lease, () => undefined);
      return findOutcome(ctx, lease, account);
    }
    // It answered, and did nothing.
    await step(ctx, lease, (label) => {
      label.wasNotBought();
      if (!label.chosenByPerson && (error.failure === 'refused' || error.failure === 'missing')) label.dropRate();
    });
    return settleError(ctx, lease, account, error);
  }
  await settlePurchase(ctx, lease, account, purchase);
}

async function settlePurchase(ctx: Context, lease: Lease, account: OpenedAccount, purchase: LabelPurchase): Promise<void> {
  switch (purchase.state) {
    case 'purchased':
      await settlePurchased(ctx, lease, purchase);
      return resumeIfPaused(ctx, account);
    case 'unsettled':
      return waitForDecision(ctx, lease);
    case 'failed':
      await step(ctx, lease, (label) => label.wasNotBought());
      return settleFailure(ctx, lease, purchase);
    default:
      return raise(ctx, lease, 'outcome_unknown', 'The label was bought and then refunded at the provider.');
  }
}

async function settleFailure(ctx: Context, lease: Lease, { failure }: LabelPurchase): Promise<void> {
  const detail = failure?.detail ?? null;
  if (failure?.kind === 'address') return raise(ctx, lease, 'address_invalid', detail);
  if (failure?.kind === 'funds') return raise(ctx, lease, 'provider_insufficient_funds', detail);
  if (failure?.kind === 'temporary') return tryAgain(ctx, lease, 'carrier_error', detail);
  return raise(ctx, lease, 'carrier_error', detail);
}

/** What an error of the provider means where it is certain that nothing was bought. */
async function settleError(ctx: Context, lease: Lease, account: OpenedAccount, error: ProviderError): Promise<void> {
  if (error.failure === 'denied') {
    await pauseLabels(ctx, account);
    return raise(ctx, lease, 'provider_auth');
  }
  if (error.failure === 'busy' && error.retryAfterSeconds !== undefined) await putOff(ctx, lease, error.retryAfterSeconds);
  return tryAgain(ctx, lease, error.failure === 'busy' ? 'provider_rate_limited' : 'provider_error', error.message);
}

/**
 * A purchase was asked for and nobody knows what came of it: look. One look right after is not enough, because the
 * purchase may still be under way.
 */
async function findOutcome(ctx: Context, lease: Lease, account: OpenedAccount): Promise<void> {
  const { label } = lease;
  let purchases: readonly LabelPurchase[];
  try {
    purchases = await ctx.ports.shipping.findPurchases(account.account, label.rateId ?? '', { signal: ctx.signal });
  } catch (error) {
    if (!(error instanceof ProviderError)) throw error;
    return settleError(ctx, lease, account, error);
  }

  const [bought, ...others] = purchases.filter(({ state }) => state === 'purchased');
  if (bought) {
    await settlePurchased(ctx, lease, bought, others);
    return resumeIfPaused(ctx, account);
  }
  if (purchases.some(({ state }) => state === 'unsettled')) return waitForDecision(ctx, lease);
  const known = purchases.find(({ marker }) => marker === label.marker);
  if (known) return settlePurchase(ctx, lease, account, known);
  await settleEmptyLook(ctx, lease, account);
}

async function settleEmptyLook(ctx: Context, lease: Lease, account: OpenedAccount): Promise<void> {
  const now = ctx.clock.now();
  const { labelLookupGraceMs: graceMs, labelRetryScheduleMs: schedule } = ctx.settings;
  const { lookedEmptyAt, tries } = lease.label;
  if (!lookedEmptyAt) {
    const backOffMs = schedule[tries + 1] ?? graceMs;
    return waitFor(ctx, lease, Math.max(graceMs, backOffMs), (label) => {
      label.lookedEmptyAt = now;
    });
  }
  const stillMs = lookedEmptyAt.getTime() + graceMs - now.getTime();
  if (stillMs > 0) return waitFor(ctx, lease, stillMs);

  if (schedule[tries + 1] === undefined) {
    await step(ctx, lease, (label) => label.wasNotBought());
    return raise(ctx, lease, 'provider_error');
  }
  await step(ctx, lease, (label) => {
    label.wasNotBought();
    label.tries = tries + 1;
  });
  await quoteAndBuy(ctx, lease, account);
}

async function waitForDecision(ctx: Context, lease: Lease): Promise<void> {
  const askedAt = lease.label.buyingSince?.getTime() ?? 0;
  if (ctx.clock.now().getTime() - askedAt > undecidedMs) return raise(ctx, lease, 'outcome_unknown');
  await waitFor(ctx, lease, ctx.settings.labelLookupGraceMs);
}

/** One step of the label, written down under the lease, which begins anew. Answers until when it is held. */
async function step(ctx: Context, lease: Lease, change: (label: Lease['label']) => void): Promise<Date> {
  const expiresAt = fromNow(ctx.clock, leaseMs(ctx));
  await transact(ctx, (ctx) => underLease(ctx, lease, (label) => {
    change(label);
    label.hold(lease.token, expiresAt);
    lease.label = label;
  }));
  return expiresAt;
}
