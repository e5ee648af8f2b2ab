/** Money is an integer count of a currency's minor unit. No float ever holds an amount. */
export type Cents = number;

/** `percent` of an amount, rounded half up to whole steps. `percent` may have up to four decimals. */
export function percentOf(amount: Cents, percent: number, step: Cents = 1): Cents {
  const scaled = BigInt(amount) * BigInt(Math.round(percent * 10_000));
  const unit = 1_000_000n * BigInt(step);
  return Number((scaled + unit / 2n) / unit) * step;
}

/** The largest multiple of a step that is not more than an amount. */
export function floorTo(amount: Cents, step: Cents): Cents {
  return amount - (amount % step);
}

/** A percentage as it is stored: to four decimals, which is what `percentOf` reads. */
export function roundPercent(percent: number): number {
  return Math.round(percent * 10_000) / 10_000;
}

/**
 * Split `total` over `weights` in proportion, by largest remainder, so that the parts add up exactly; each part of a
 * total of whole steps is whole steps. Ties go to the earlier weight. With all weights zero everything falls to the
 * first.
 */
export function spread(total: Cents, weights: readonly number[], step: Cents = 1): Cents[] {
  if (step > 1 && total % step === 0) return spread(total / step, weights).map((part) => part * step);
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
