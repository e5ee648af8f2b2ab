import { hours, seconds, withJitter } from '#src/lib/duration.ts';

/** Retry-After is honoured up to a day, the longest wait of the default schedule. */
const retryAfterMaxMs = hours(24);

/**
 * How long to wait for the next attempt after `tries` failed attempts of a round. The schedule lists the wait before
 * each attempt, including the first. Random jitter is added; a longer Retry-After is honoured.
 *
 * @param random from 0 to 1
 * @returns `undefined` when the schedule has no further attempt
 */
export function waitAfter(
  scheduleMs: readonly number[],
  tries: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number | undefined {
  const wait = scheduleMs[tries];
  if (wait === undefined) return undefined;
  const retryAfterMs = Math.min(seconds(retryAfterSeconds ?? 0), retryAfterMaxMs);
  return Math.max(withJitter(wait, random), retryAfterMs);
}
