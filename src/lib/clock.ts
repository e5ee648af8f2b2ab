import { seconds } from './duration.ts';

/** The source of time. Code that needs the time uses the clock of its context. */
export interface Clock {
  now(): Date;
}

/** From one moment on, until before another. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/**
 * How far the clocks of two processes may differ: each is set by PostgreSQL's clock and is off by at most half of this.
 * Where a process must not miss what another one scheduled, it reads this much further ahead.
 */
export const clocksAgreeWithinMs = seconds(2);

/** This machine's own time, which differs from other machines'. */
export const systemClock: Clock = { now: () => new Date() };

/** The moment `milliseconds` after (or, negative, before) the clock's now. */
export function fromNow(clock: Clock, milliseconds: number): Date {
  return new Date(clock.now().getTime() + milliseconds);
}

/**
 * Makes an `LRUCache` measure its `ttl` by this clock. Its own time is cached for a millisecond, in which a test can
 * let days pass. A clock that is set back runs on here: what is cached would otherwise be fresh until it has caught up.
 */
export function agingBy(clock: Clock): { perf: { now: () => number }; ttlResolution: 0 } {
  let latest = -Infinity;
  let behindMs = 0;
  const now = () => {
    const at = clock.now().getTime();
    behindMs = Math.max(behindMs, latest - at);
    latest = at + behindMs;
    return latest;
  };
  return { perf: { now }, ttlResolution: 0 };
}
