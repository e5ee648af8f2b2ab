import { days, minutes } from '#src/lib/duration.ts';
import type { QuietHours } from './reminder-settings.ts';

/** When the quiet hours that it is in are over, by the store's clock; undefined when it is in none. */
export function endOfQuietHours(quiet: QuietHours | null, timezone: string, now: Date): Date | undefined {
  if (!quiet || !isQuiet(quiet, timezone, now)) return undefined;
  const until = minutesOf(quiet[1]);
  const wait = (until - localMinutes(timezone, now) + minutesOfDay) % minutesOfDay;
  const end = new Date(Math.floor(now.getTime() / minutes(1)) * minutes(1) + minutes(wait));

  // In a night in which the clocks change it is another hour then. A time that such a night leaves out is over by now.
  const off = ((until - localMinutes(timezone, end) + minutesOfDay * 1.5) % minutesOfDay) - minutesOfDay / 2;
  const corrected = new Date(end.getTime() + minutes(off));
  return isQuiet(quiet, timezone, corrected) ? end : corrected;
}

const minutesOfDay = days(1) / minutes(1);

/** From the first minute on, until the last one is over. */
function isQuiet([from, until]: QuietHours, timezone: string, at: Date): boolean {
  const [start, end, time] = [minutesOf(from), minutesOf(until), localMinutes(timezone, at)];
  return start <= end ? time >= start && time < end : time >= start || time < end;
}

function minutesOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

/** Minutes since midnight by a clock in this time zone. */
function localMinutes(timezone: string, at: Date): number {
  return minutesOf(clockOf(timezone).format(at));
}

const clocks = new Map<string, Intl.DateTimeFormat>();

/** Making one takes longer than reading it; there are as many as time zones. */
function clockOf(timezone: string): Intl.DateTimeFormat {
  let clock = clocks.get(timezone);
  if (!clock) {
    clock = new Intl.DateTimeFormat('en-GB', {
      timeZone: timezone,
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    clocks.set(timezone, clock);
  }
  return clock;
}
