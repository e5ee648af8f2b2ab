import { days } from '#src/lib/duration.ts';

/** Events wait at most so long in a page that is offline; an older time is a clock that is wrong. */
export const lateDaysMax = 7;

/** The time by our clock of what happened at a time by another's. */
export type CorrectClock = (occurredAt: string | null | undefined) => Date;

/**
 * Correct times of a sender whose clock may be wrong. Where it says when it sent the batch, the difference is known;
 * where it does not, no event can have happened after it came, so a clock that is ahead gives itself away. What then
 * still lies ahead, or too far back, is said to have happened when it came.
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
