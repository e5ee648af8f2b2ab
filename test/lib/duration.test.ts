import test from 'ava';

import { days, formatDuration, hours, minutes, parseDuration, parseSchedule, seconds } from '#src/lib/duration.ts';

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
