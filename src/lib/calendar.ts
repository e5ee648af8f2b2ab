import { days } from './duration.ts';

/** A day of the calendar in UTC, as `2026-11-20`. */
export type Day = string;

export function dayOf(moment: Date): Day {
  return moment.toISOString().slice(0, 10);
}

/** The day so many days after (or, negative, before) this one. */
export function addDays(day: Day, count: number): Day {
  return dayOf(new Date(startOfDay(day).getTime() + days(count)));
}

/** The Monday of the week that a day belongs to. */
export function weekOf(day: Day): Day {
  const weekday = (startOfDay(day).getUTCDay() + 6) % 7;
  return addDays(day, -weekday);
}

export function startOfDay(day: Day): Date {
  return new Date(`${day}T00:00:00Z`);
}

/** Whole days since 1970, for what counts days. */
export function dayNumber(day: Day): number {
  return startOfDay(day).getTime() / days(1);
}

/** The day that a text names, alone or with a time behind it; `undefined` when the calendar has no such day. */
export function parseDay(text: string): Day | undefined {
  const day = /^(\d{4}-\d{2}-\d{2})(T|$)/.exec(text)?.[1];
  if (!day || Number.isNaN(startOfDay(day).getTime())) return undefined;
  return dayOf(startOfDay(day)) === day ? day : undefined;
}

/** Every day from the first to the last, both included. */
export function eachDay(first: Day, last: Day): Day[] {
  const count = dayNumber(last) - dayNumber(first) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => addDays(first, index));
}
