import type { Cents } from '#src/lib/money.ts';

/** The least that the payment provider charges, in minor units, by currency of settlement. */
const minimums: Readonly<Record<string, Cents>> = {
  AED: 200, AUD: 50, BGN: 100, BRL: 50, CAD: 50, CHF: 50, CZK: 1500, DKK: 250, EUR: 50, GBP: 30, HKD: 400, HUF: 17500,
  INR: 50, JPY: 50, MXN: 1000, MYR: 200, NOK: 300, NZD: 50, PLN: 200, RON: 200, SEK: 300, SGD: 50, THB: 1000, USD: 50,
};

/** Whether an amount is due that nobody would charge. Nothing at all is fine: a gift card may cover everything. */
export function isTooSmall(dueCents: Cents, currency: string): boolean {
  return dueCents > 0 && dueCents < (minimums[currency] ?? 0);
}
