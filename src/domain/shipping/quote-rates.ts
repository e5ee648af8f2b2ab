import { fromNow } from '#src/lib/clock.ts';
import { shortDigest } from '#src/lib/crypto.ts';
import { labelCurrencyOf } from '#src/lib/currency.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { ProviderError, rejectIssues } from '#src/lib/errors.ts';
import { AnyCaseCountry, NumberLike, OmittableOrEmpty, type Static, Text, Type } from '#src/lib/schema.ts';
import { typedCode } from '#src/lib/typed-code.ts';
import { fits, type Issue } from '#src/lib/validation.ts';
import { checkCountry } from '../checks.ts';
import type { Context } from '../context.ts';
import { packed, parcelOzMax } from './assess-order.ts';
import { sortedByCost } from './choose-rate.ts';
import { providerUnavailable } from './order-rates.ts';
import { presentRate, RateQuote } from './present.ts';
import { type OpenedAccount, openAccount } from './shipping-account.ts';

export const RateRequest = Type.Object({
  ship_to: Type.Object({
    zip: OmittableOrEmpty(
      Text(20, {
        examples: ['10010'],
        description: 'Required for the US. Some countries, such as Hong Kong, have none.',
      }),
    ),
    country: AnyCaseCountry,
  }),
  parcel: Type.Object({
    weight_oz: NumberLike(
      { exclusiveMinimum: 0, maximum: parcelOzMax },
      { examples: [18], description: 'In ounces, at most 2400 (150 pounds): freight is not available.' },
    ),
  }),
});
export type RateRequest = Static<typeof RateRequest>;

const cachedMs = minutes(10);
const timeoutMs = seconds(4);

/**
 * Live rates of the store's carriers, the cheapest first, cached for ten minutes by store and origin, destination, and
 * weight rounded up to whole ounces.
 *
 * @throws DomainError `invalid_request` for what is no country, or the US without a zip;
 *   `shipping_provider_unavailable` when the provider is unavailable, slow or not configured
 */
export async function quoteRates(ctx: Context, { ship_to, parcel }: RateRequest): Promise<RateQuote> {
  const to = { zip: typedCode(ship_to.zip ?? ''), country: ship_to.country };
  rejectIssues([...checkCountry('/ship_to/country', to.country), ...checkZip(to)]);
  const opened = await openAccount(ctx);
  if (!opened) throw providerUnavailable();
  const weightOz = Math.ceil(parcel.weight_oz);
  const request = shortDigest(JSON.stringify([opened.origin, opened.parcel, opened.carriers, to, weightOz]), 32);
  try {
    const { text, isCached } = await ctx.ports.cache.getOrLoad(
      `rates:${ctx.tenant.id}:${request}`,
      cachedMs,
      async () => JSON.stringify(await fetchQuote(ctx, opened, to, weightOz)),
    );
    const quote: unknown = JSON.parse(text);
    if (!fits(RateQuote, quote)) throw new TypeError('The cached value is not a rate quote.');
    return { ...quote, cached: isCached };
  } catch (error) {
    if (error instanceof ProviderError) throw providerUnavailable(error);
    throw error;
  }
}

function checkZip({ zip, country }: { zip: string; country: string }): Issue[] {
  if (zip !== '' || country !== 'US') return [];
  return [{ path: '/ship_to/zip', code: 'required', detail: 'is required for the US' }];
}

async function fetchQuote(
  ctx: Context,
  opened: OpenedAccount,
  to: { zip: string; country: string },
  weightOz: number,
): Promise<RateQuote> {
  const { account, origin, parcel, carriers } = opened;
  const request = { from: origin, to, parcel: packed(parcel, weightOz), carriers };
  const quote = await ctx.ports.shipping.quote(account, request, { signal: AbortSignal.timeout(timeoutMs) });
  const rates = sortedByCost(quote.rates, carriers, labelCurrencyOf(origin.country, ctx.tenant.currency)).map(
    presentRate,
  );
  return {
    rates,
    cheapest_rate_id: rates[0]?.id ?? null,
    cached: false,
    expires_at: fromNow(ctx.clock, cachedMs).toISOString(),
  };
}
