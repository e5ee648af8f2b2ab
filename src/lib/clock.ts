import { seconds } from './duration.ts';

/** Where time comes from. Everything that asks for the time asks the clock in its context. */
export interface Clock {
  now(): Date;
}

/** From one moment on, until before another. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

/**
 * How far two processes' clocks may be apart: each is set by PostgreSQL's clock, and is off by half of this at most.
 * Where a process must not miss what another left to it, it looks so much further ahead.
 */
export const clocksAgreeWithinMs = seconds(2);

/** This machine's own time, which differs from other machines'. */
export const systemClock: Clock = { now: () => new Date() };

/** The moment `milliseconds` after (or, negative, before) the clock's now. */
export function fromNow(clock: Clock, milliseconds: number): Date {
  return new Date(clock.now().getTime() + milliseconds);
}

/** What lets an `LRUCache` measure its `ttl` by this clock. It would otherwise look at the clock once a millisecond, in which a test can let days pass. */
export function agingBy(clock: Clock): { perf: { now: () => number }; ttlResolution: 0 } {
  return { perf: { now: () => clock.now().getTime() }, ttlResolution: 0 };
}
