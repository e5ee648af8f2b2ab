/** Where time comes from. Everything that asks for the time asks the clock in its context. */
export interface Clock {
  now(): Date;
}

/** From one moment on, until before another. */
export interface TimeRange {
  readonly from: Date;
  readonly to: Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The moment `milliseconds` after (or, negative, before) the clock's now. */
export function fromNow(clock: Clock, milliseconds: number): Date {
  return new Date(clock.now().getTime() + milliseconds);
}

/** What lets an `LRUCache` measure its `ttl` by this clock. It would otherwise look at the clock once a millisecond, in which a test can let days pass. */
export function agingBy(clock: Clock): { perf: { now: () => number }; ttlResolution: 0 } {
  return { perf: { now: () => clock.now().getTime() }, ttlResolution: 0 };
}
