import { LRUCache } from 'lru-cache';

import type { Cents } from './money.ts';

/** An amount as people of this locale write it: `$12.50`. Exact: no float is made of it. */
export function formatMoney(amount: Cents, currency: string, locale: string): string {
  const { format, digits } = writingOf(currency, locale);
  const units = String(Math.abs(amount)).padStart(digits + 1, '0');
  const whole = units.slice(0, units.length - digits);
  const decimal = `${amount < 0 ? '-' : ''}${whole}${digits > 0 ? `.${units.slice(-digits)}` : ''}`;
  return format.format(decimal as `${number}`);
}

interface Writing {
  readonly format: Intl.NumberFormat;
  readonly digits: number;
}

/** Making a format takes far longer than using one. */
const writings = new LRUCache<string, Writing>({ max: 200 });

function writingOf(currency: string, locale: string): Writing {
  const key = `${locale} ${currency}`;
  let writing = writings.get(key);
  if (!writing) {
    const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
    writings.set(key, (writing = { format, digits: format.resolvedOptions().maximumFractionDigits ?? 2 }));
  }
  return writing;
}
