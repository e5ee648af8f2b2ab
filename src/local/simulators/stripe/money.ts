const minimums: Readonly<Record<string, number>> = {
  ...{ usd: 50, eur: 50, gbp: 30, aud: 50, cad: 50, chf: 50, nzd: 50, sgd: 50, brl: 50, inr: 50, jpy: 50 },
  ...{
    mxn: 1000,
    hkd: 400,
    sek: 300,
    nok: 300,
    dkk: 250,
    pln: 200,
    czk: 1500,
    huf: 17500,
    ron: 200,
    thb: 1000,
  },
};
const currencies = new Set(Intl.supportedValuesOf('currency').map((code) => code.toLowerCase()));

/** The least that Stripe charges in a currency, in minor units. */
export function minimumCharge(currency: string): number {
  return minimums[currency] ?? 50;
}

export function isCurrency(code: string): boolean {
  return currencies.has(code);
}

/** "$12.50", from minor units. */
export function formatMoney(amount: number, currency: string): string {
  const format = new Intl.NumberFormat('en-US', { style: 'currency', currency });
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2;
  return format.format(amount / 10 ** digits);
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
