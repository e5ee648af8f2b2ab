import { DomainError, ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import type { OrderForShipping } from '../orders/index.ts';
import type { Parcel, PostalAddress, Quote, Rate } from '../ports/shipping-gateway.ts';
import { declareGoods } from './customs.ts';
import { flagLabel } from './flag-label.ts';
import type { Label } from './label.ts';
import { renewLease } from './label-lease.ts';
import type { ReasonCode } from './label-reasons.ts';
import { recordProviderError } from './record-outcome.ts';
import type { OpenedAccount } from './shipping-account.ts';

/** The parcel to send, its address, and the order whose goods are in it. */
interface Shipment {
  readonly order: OrderForShipping;
  readonly to: PostalAddress;
  readonly parcel: Parcel;
}

/** Fetch rates and choose the cheapest. @returns `done` where the attempt ended instead */
export async function chooseLabelRate(
  ctx: Context,
  label: Label,
  account: OpenedAccount,
  shipment: Shipment,
): Promise<Rate | 'done'> {
  if (label.state !== 'quoting') {
    label.moveTo('quoting');
    await renewLease(ctx, label);
  }
  const quote = await fetchQuote(ctx, label, account, shipment);
  if (!quote) return 'done';

  const reason = reasonAgainst(quote);
  if (reason) return flagLabel(ctx, label, reason, quote.rejection?.detail);
  // Carriers sell labels in the currency of the country that the parcel leaves, and amounts of two cannot be compared.
  const currency = account.origin.country === 'US' ? 'USD' : ctx.tenant.currency;
  const rate = chooseCheapest(quote.rates, account.carriers, currency);
  if (!rate) {
    const isAnyEnabled = sortedByCost(quote.rates, account.carriers).length > 0;
    return flagLabel(ctx, label, isAnyEnabled ? 'no_matching_rate' : 'no_enabled_carrier');
  }
  if (account.labelCostCapCents !== null && rate.amountCents > account.labelCostCapCents) {
    return flagLabel(ctx, label, 'cost_cap');
  }
  return rate;
}

async function fetchQuote(
  ctx: Context,
  label: Label,
  account: OpenedAccount,
  { to, parcel, order }: Shipment,
): Promise<Quote | undefined> {
  const { carriers, origin } = account;
  try {
    const customs = await declareGoods(ctx, { from: origin, to: to.country, order });
    return await ctx.ports.shipping.quote(
      account.account,
      { from: origin, to, parcel, carriers, ...(customs && { customs }) },
      { signal: ctx.signal },
    );
  } catch (error) {
    if (error instanceof DomainError) {
      await flagLabel(ctx, label, 'international', error.message);
      return undefined;
    }
    if (!(error instanceof ProviderError)) throw error;
    if (error.failure === 'refused')
      await flagLabel(ctx, label, error.code === 'address_to' ? 'address_invalid' : 'provider_error', error.message);
    else await recordProviderError(ctx, label, account, error);
    return undefined;
  }
}

function reasonAgainst({ hasActiveCarrier, rates, rejection }: Quote): ReasonCode | undefined {
  if (!hasActiveCarrier) return 'no_enabled_carrier';
  if (rates.length > 0) return undefined;
  return rejection?.kind === 'address' ? 'address_invalid' : 'no_rates';
}

/**
 * The cheapest rate of an enabled carrier in this currency: by amount, then fewer days, then the order in which the
 * store names its carriers; the other criteria only make the choice deterministic.
 *
 * @param carriers enabled carriers; empty: all
 */
export function chooseCheapest(
  rates: readonly Rate[],
  carriers: readonly string[],
  currency: string,
): Rate | undefined {
  return sortedByCost(rates, carriers).find((rate) => rate.currency === currency);
}

/** The rates of enabled carriers, the one to choose first. */
export function sortedByCost(rates: readonly Rate[], carriers: readonly string[]): Rate[] {
  return rates
    .filter(({ carrier }) => carriers.length === 0 || carriers.includes(carrier))
    .toSorted(
      (left, right) =>
        left.amountCents - right.amountCents ||
        (left.estimatedDays ?? Infinity) - (right.estimatedDays ?? Infinity) ||
        carriers.indexOf(left.carrier) - carriers.indexOf(right.carrier) ||
        compare(left.carrier, right.carrier) ||
        compare(left.serviceCode, right.serviceCode) ||
        compare(left.id, right.id),
    );
}

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
