import { LRUCache } from 'lru-cache';

import { toDecimal, writtenDecimals } from './currency.ts';
import type { Cents } from './money.ts';

/** An amount as it is written in this locale: `$12.50`. Exact: it is never converted to a float. */
export function formatMoney(amount: Cents, currency: string, locale: string): string {
  return formatOf(currency, locale).format(toDecimal(amount, currency));
}

/** Making a format takes far longer than using one. */
const formats = new LRUCache<string, Intl.NumberFormat>({ max: 200 });

function formatOf(currency: string, locale: string): Intl.NumberFormat {
  const key = `${locale} ${currency}`;
  const known = formats.get(key);
  if (known) return known;
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency, ...writtenDecimals(currency) });
  formats.set(key, format);
  return format;
}
