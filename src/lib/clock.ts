/** Where time comes from. Everything that asks for the time asks the clock in its context. */
export interface Clock {
  now(): Date;
}

export const systemClock: Clock = { now: () => new Date() };

/** The moment `milliseconds` after (or, negative, before) the clock's now. */
export function fromNow(clock: Clock, milliseconds: number): Date {
  return new Date(clock.now().getTime() + milliseconds);
}
