import { hours, seconds } from '#src/lib/duration.ts';

const jitter = 0.2;
/** A receiver may ask to be left alone for a day at most: the schedule's own longest wait. */
const retryAfterMaxMs = hours(24);

/**
 * How long the next try waits after `tries` of a round failed, or `undefined` when there is none. The schedule lists
 * the wait before each try, the first included. Up to a fifth is added, so that what failed together does not come
 * back together; a longer Retry-After is honoured.
 *
 * @param random from 0 to 1
 */
export function waitAfter(
  scheduleMs: readonly number[],
  tries: number,
  retryAfterSeconds: number | undefined,
  random: number,
): number | undefined {
  const wait = scheduleMs[tries];
  if (wait === undefined) return undefined;
  const asked = Math.min(seconds(retryAfterSeconds ?? 0), retryAfterMaxMs);
  return Math.max(Math.round(wait * (1 + jitter * random)), asked);
}
