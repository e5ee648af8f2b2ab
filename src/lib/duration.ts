const unitMs = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const seconds = (count: number): number => count * unitMs.s;
export const minutes = (count: number): number => count * unitMs.m;
export const hours = (count: number): number => count * unitMs.h;
export const days = (count: number): number => count * unitMs.d;

/** How a duration is written in the environment and in a store file: `90s`, `15m`, `1h`, `3d`. */
export const durationPattern = '^[0-9]{1,12}(ms|s|m|h|d)$';

/** Milliseconds of a written duration, or `undefined` when it is not one. */
export function parseDuration(written: string): number | undefined {
  if (!new RegExp(durationPattern).test(written)) return undefined;
  const count = Number.parseInt(written, 10);
  const unit = written.replace(/^[0-9]+/, '');
  return unit in unitMs ? count * unitMs[unit as keyof typeof unitMs] : undefined;
}

/** A duration as it is written, in the largest unit that leaves no rest: `1h`, but `90m`. */
export function formatDuration(milliseconds: number): string {
  const [unit, unitLength] = Object.entries(unitMs).findLast(([, length]) => milliseconds % length === 0) ?? ['ms', 1];
  return `${milliseconds / unitLength}${unit}`;
}

/**
 * Up to a fifth longer, so that what failed together is not retried together.
 * @param random from 0 to 1
 */
export const withJitter = (milliseconds: number, random: number): number => Math.round(milliseconds * (1 + random / 5));

/** Milliseconds of a comma-separated schedule such as `0s,5s,5m`, or `undefined` when any part is not a duration. */
export function parseSchedule(written: string): number[] | undefined {
  const waits = written.split(',').map((part) => parseDuration(part.trim()));
  return waits.every((wait) => wait !== undefined) ? waits : undefined;
}
