import { seededNumbers } from '#src/dev/simulators/random.ts';

/** Random choices that a seed repeats. */
export interface Random {
  /** A whole number from 0 to `count - 1`. */
  below(count: number): number;
  chance(probability: number): boolean;
  pick<Value>(values: readonly Value[]): Value;
}

export function seededRandom(seed: number): Random {
  const next = seededNumbers(seed);
  return {
    below: (count) => Math.floor(next() * count),
    chance: (probability) => next() < probability,
    pick(values) {
      if (values.length === 0) throw new TypeError('Cannot pick from an empty list.');
      return values[Math.floor(next() * values.length)] as (typeof values)[number];
    },
  };
}
