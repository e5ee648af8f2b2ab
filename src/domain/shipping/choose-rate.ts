import { labelCurrencyOf } from '#src/lib/currency.ts';
import { DomainError, ProviderError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import type { OrderForShipping } from '../orders/index.ts';
import type { Parcel, PostalAddress, Quote, Rate } from '../ports/shipping-gateway.ts';
import { declareGoods } from './customs.ts';
import { flagLabel } from './flag-label.ts';
import type { Label } from './label.ts';
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
  const quote = await fetchQuote(ctx, label, account, shipment);
  if (!quote) return 'done';

  const reason = reasonAgainst(quote);
  if (reason) return flagLabel(ctx, label, reason, quote.rejection?.detail);
  const currency = labelCurrencyOf(account.origin.country, ctx.tenant.currency);
  const rates = sortedByCost(quote.rates, account.carriers, currency);
  if (rates.length === 0) return flagLabel(ctx, label, 'no_enabled_carrier');
  const rate = chooseCheapest(rates, currency, label);
  if (!rate) return flagLabel(ctx, label, 'no_matching_rate');
  const cap = account.labelCostCapCents;
  return cap === null || (rate.currency === currency && rate.amountCents <= cap)
    ? rate
    : flagLabel(ctx, label, 'cost_cap');
}

async function fetchQuote(
  ctx: Context,
  label: Label,
  account: OpenedAccount,
  { to, parcel, order }: Shipment,
): Promise<Quote | undefined> {
  const { carriers, origin } = account;
  try {
    const customs = await declareGoods(ctx, { from: origin, to, order });
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
 * The cheapest of sorted rates: amounts of two currencies cannot be compared. So it is one in the currency of the
 * store's labels, or, where an operator requested the label, in the only other one.
 */
export function chooseCheapest(
  rates: readonly Rate[],
  currency: string,
  { requestedManually }: Pick<Label, 'requestedManually'>,
): Rate | undefined {
  const [first] = rates;
  if (first?.currency === currency) return first;
  return requestedManually && rates.every(({ currency }) => currency === first?.currency) ? first : undefined;
}

/**
 * The rates of enabled carriers, the one to choose first: those in this currency, then by amount, then fewer days, then
 * the order in which the store names its carriers; the other criteria only make the order deterministic.
 *
 * @param carriers enabled carriers; empty: all
 */
export function sortedByCost(rates: readonly Rate[], carriers: readonly string[], currency: string): Rate[] {
  return rates
    .filter(({ carrier }) => carriers.length === 0 || carriers.includes(carrier))
    .toSorted(
      (left, right) =>
        Number(right.currency === currency) - Number(left.currency === currency) ||
        compare(left.currency, right.currency) ||
        left.amountCents - right.amountCents ||
        (left.estimatedDays ?? Infinity) - (right.estimatedDays ?? Infinity) ||
        carriers.indexOf(left.carrier) - carriers.indexOf(right.carrier) ||
        compare(left.carrier, right.carrier) ||
        compare(left.serviceCode, right.serviceCode) ||
        compare(left.id, right.id),
    );
}

const compare = (left: string, right: string) => (left < right ? -1 : left > right ? 1 : 0);
