import type { Cents } from './money.ts';

/** An amount as people of this locale write it: `$12.50`. Exact: no float is made of it. */
export function formatMoney(amount: Cents, currency: string, locale: string): string {
  const format = new Intl.NumberFormat(locale, { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  const units = String(Math.abs(amount)).padStart(digits + 1, '0');
  const whole = units.slice(0, units.length - digits);
  const decimal = `${amount < 0 ? '-' : ''}${whole}${digits > 0 ? `.${units.slice(-digits)}` : ''}`;
  return format.format(decimal as `${number}`);
}
