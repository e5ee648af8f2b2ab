/** Money is an integer count of a currency's minor unit. No float ever holds an amount. */
export type Cents = number;

/** `percent` of an amount, rounded half up to whole minor units. `percent` may have up to four decimals. */
export function percentOf(amount: Cents, percent: number): Cents {
  const scaled = BigInt(amount) * BigInt(Math.round(percent * 10_000));
  return Number((scaled + 500_000n) / 1_000_000n);
}

/** A percentage as it is stored: to four decimals, which is what `percentOf` reads. */
export function roundPercent(percent: number): number {
  return Math.round(percent * 10_000) / 10_000;
}

/**
 * Split `total` over `weights` in proportion, by largest remainder, so that the parts add up exactly.
 * Ties go to the earlier weight. With all weights zero everything falls to the first.
 */
export function spread(total: Cents, weights: readonly number[]): Cents[] {
  const sum = weights.reduce((left, right) => left + BigInt(right), 0n);
  if (sum === 0n) return weights.map((_, index) => (index === 0 ? total : 0));

  const shares = weights.map((weight, index) => {
    const product = BigInt(total) * BigInt(weight);
    return { index, part: Number(product / sum), remainder: product % sum };
  });
  const left = total - shares.reduce((taken, share) => taken + share.part, 0);
  const byRemainder = shares.toSorted((a, b) =>
    a.remainder === b.remainder ? a.index - b.index : a.remainder > b.remainder ? -1 : 1,
  );
  for (const share of byRemainder.slice(0, left)) share.part += 1;
  return shares.map((share) => share.part);
}
