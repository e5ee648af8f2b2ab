import test from 'ava';
import { addDays, dayNumber, dayOf, eachDay, parseDay, weekOf } from '#src/lib/calendar.ts';
import { days, formatDuration, hours, minutes, parseDuration, parseSchedule, seconds } from '#src/lib/duration.ts';

test('days are in UTC, and weeks begin on Monday', (t) => {
  t.is(dayOf(new Date('2026-11-20T23:59:59.999Z')), '2026-11-20');
  t.is(addDays('2026-12-31', 1), '2027-01-01');
  t.is(addDays('2028-03-01', -1), '2028-02-29');
  t.deepEqual(['2026-11-15', '2026-11-16', '2026-11-22', '2026-11-23'].map(weekOf), [
    '2026-11-09',
    '2026-11-16',
    '2026-11-16',
    '2026-11-23',
  ]);
  t.is(dayNumber('1970-01-11'), 10);
  t.deepEqual(eachDay('2026-02-27', '2026-03-01'), ['2026-02-27', '2026-02-28', '2026-03-01']);
  t.deepEqual(eachDay('2026-03-01', '2026-02-01'), []);
});

test('parseDay accepts an existing day only', (t) => {
  t.is(parseDay('2026-11-20'), '2026-11-20');
  t.is(parseDay('2026-11-20T23:30:00-05:00'), '2026-11-20');
  for (const text of ['', 'monday', '2026-13-01', '2026-02-30', '20261120', '2026-11-20 '])
    t.is(parseDay(text), undefined, text);
});

test('parseDuration reads a number with its unit', (t) => {
  t.is(parseDuration('250ms'), 250);
  t.is(parseDuration('90s'), seconds(90));
  t.is(parseDuration('15m'), minutes(15));
  t.is(parseDuration('1h'), hours(1));
  t.is(parseDuration('3d'), days(3));
  t.is(parseDuration('0s'), 0);
});

test('parseDuration rejects text without a unit, and any other text', (t) => {
  for (const written of ['', '15', 'm', '1.5h', '-1s', '1 h', '1w', '1h30m', ' 1h', 'toString', '1constructor']) {
    t.is(parseDuration(written), undefined, written);
  }
});

test('parseSchedule reads comma-separated durations, or none', (t) => {
  t.deepEqual(parseSchedule('0s,5s, 5m'), [0, 5000, 300_000]);
  t.is(parseSchedule('0s,soon'), undefined);
  t.is(parseSchedule(''), undefined);
});

test('formatDuration uses the largest unit that leaves no remainder', (t) => {
  for (const written of ['250ms', '90s', '15m', '36h', '3d'])
    t.is(formatDuration(parseDuration(written) ?? 0), written);
  t.is(formatDuration(minutes(60)), '1h');
});
