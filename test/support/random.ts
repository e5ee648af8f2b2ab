/** Random choices that a seed repeats. */
export interface Random {
  /** From 0 up to, but without, this. */
  below(count: number): number;
  chance(probability: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
}

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    below: (count) => Math.floor(next() * count),
    chance: (probability) => next() < probability,
    pick(values) {
      if (values.length === 0) throw new TypeError('There is nothing to pick from.');
      return values[Math.floor(next() * values.length)] as (typeof values)[number];
    },
  };
}
