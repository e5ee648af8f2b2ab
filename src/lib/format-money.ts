import { LRUCache } from 'lru-cache';

import { decimalsOf, toDecimal } from './currency.ts';
import type { Cents } from './money.ts';

/**
 * An amount as it is written in this locale: `$12.50`. Exact: it is never converted to a float. Decimals that a
 * currency has at the payment provider and not in print are shown only if they are not zero.
 */
export function formatMoney(amount: Cents, currency: string, locale: string): string {
  const hasFraction = amount % 10 ** decimalsOf(currency) !== 0;
  return formatOf(currency, locale, hasFraction).format(toDecimal(amount, currency));
}

/** Making a format takes far longer than using one. */
const formats = new LRUCache<string, Intl.NumberFormat>({ max: 200 });

function formatOf(currency: string, locale: string, hasFraction: boolean): Intl.NumberFormat {
  const key = `${locale} ${currency} ${hasFraction}`;
  const known = formats.get(key);
  if (known) return known;
  const style = { style: 'currency', currency } as const;
  const decimals = decimalsOf(currency);
  const printed = new Intl.NumberFormat(locale, style).resolvedOptions().maximumFractionDigits ?? decimals;
  const shown = hasFraction ? decimals : Math.min(printed, decimals);
  const format = new Intl.NumberFormat(locale, {
    ...style,
    minimumFractionDigits: shown,
    maximumFractionDigits: shown,
  });
  formats.set(key, format);
  return format;
}
