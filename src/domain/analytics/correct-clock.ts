import { days } from '#src/lib/duration.ts';

/** How long events may wait in an offline page. An older time is taken for a wrong clock. */
export const lateDaysMax = 7;

/** Converts a time of the sender's clock to a time of the server's clock. */
export type CorrectClock = (occurredAt: string | null | undefined) => Date;

/**
 * Correct times of a sender whose clock may be wrong. `sentAt` gives the difference of the clocks. Without it, an event
 * later than its arrival shows that the clock is ahead. Times that are still in the future or too old are replaced by
 * the time of arrival.
 */
export function createClockCorrection(
  receivedAt: Date,
  sentAt: string | null | undefined,
  occurredAt: readonly (string | null | undefined)[],
): CorrectClock {
  const received = receivedAt.getTime();
  const sent = Date.parse(sentAt ?? '');
  const newest = occurredAt.reduce((newest, time) => Math.max(newest, Date.parse(time ?? '') || -Infinity), -Infinity);
  const ahead = Number.isNaN(sent) ? Math.max(0, newest - received) : sent - received;
  return (time) => {
    const corrected = Date.parse(time ?? '') - ahead;
    const isLikely = corrected <= received && corrected >= received - days(lateDaysMax);
    return isLikely ? new Date(corrected) : receivedAt;
  };
}
