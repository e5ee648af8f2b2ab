import { createHash } from 'node:crypto';

/** Numbers in [0, 1) that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** 32 hexadecimal characters, as Shippo's ids are, the same for the same text. */
export function idFor(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** `count` decimal digits drawn from a hexadecimal id. */
export function digitsFrom(id: string, count: number): string {
  return (BigInt(`0x${id}`) % 10n ** BigInt(count)).toString().padStart(count, '0');
}
