import { days, minutes } from '#src/lib/duration.ts';
import type { QuietHours } from './reminder-settings.ts';

/** The end of the current quiet hours in the store's time zone. @returns `undefined` outside quiet hours */
export function endOfQuietHours(quiet: QuietHours | null, timezone: string, now: Date): Date | undefined {
  if (!quiet || !isQuiet(quiet, timezone, now)) return undefined;
  const until = minutesOf(quiet[1]);
  const wait = (until - localMinutes(timezone, now) + minutesOfDay) % minutesOfDay;
  const end = new Date(Math.floor(now.getTime() / minutes(1)) * minutes(1) + minutes(wait));

  // When daylight saving time changes in between, correct by the difference. An end that the change skips is already over.
  const off = ((until - localMinutes(timezone, end) + minutesOfDay * 1.5) % minutesOfDay) - minutesOfDay / 2;
  const corrected = new Date(end.getTime() + minutes(off));
  return isQuiet(quiet, timezone, corrected) ? end : corrected;
}

const minutesOfDay = days(1) / minutes(1);

/** Includes the start, excludes the end. */
function isQuiet([from, until]: QuietHours, timezone: string, at: Date): boolean {
  const [start, end, time] = [minutesOf(from), minutesOf(until), localMinutes(timezone, at)];
  return start <= end ? time >= start && time < end : time >= start || time < end;
}

function minutesOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

/** Minutes since midnight in this time zone. */
function localMinutes(timezone: string, at: Date): number {
  return minutesOf(formatterOf(timezone).format(at));
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Cached per time zone, because creating a formatter is slow. */
function formatterOf(timezone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(timezone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-GB', {
      timeZone: timezone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    formatters.set(timezone, formatter);
  }
  return formatter;
}
