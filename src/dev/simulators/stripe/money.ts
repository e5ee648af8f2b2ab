import { formatMoney as format } from '#src/lib/format-money.ts';

const currencies = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

export function isCurrency(code: string): boolean {
  return currencies.has(code);
}

/** The most that is charged at once, in minor units of any currency: with a card. Other payment methods take less. */
export const maximumCharge = 999_999_999_999;

/** "$12.50", from minor units. */
export function formatMoney(amount: number, currency: string): string {
  return format(amount, currency.toUpperCase(), 'en-US');
}

/** Share an amount in proportion to weights, to the last minor unit (largest remainder). */
export function spread(amount: number, weights: readonly number[]): number[] {
  const whole = weights.reduce((sum, weight) => sum + weight, 0);
  if (whole === 0) return weights.map(() => 0);
  const shares = weights.map((weight) => Math.floor((amount * weight) / whole));
  const left = amount - shares.reduce((sum, share) => sum + share, 0);
  const neediest = weights
    .map((weight, index) => ({ index, remainder: (amount * weight) % whole }))
    .sort((one, other) => other.remainder - one.remainder)
    .slice(0, left);
  for (const { index } of neediest) shares[index] = (shares[index] ?? 0) + 1;
  return shares;
}
