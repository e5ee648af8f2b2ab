import test from 'ava';

import { addDays, dayNumber, dayOf, dayOfNumber, eachDay, parseDay, weekOf } from '#src/lib/calendar.ts';

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
  t.is(dayOfNumber(dayNumber('2026-11-20')), '2026-11-20');
  t.deepEqual(eachDay('2026-02-27', '2026-03-01'), ['2026-02-27', '2026-02-28', '2026-03-01']);
  t.deepEqual(eachDay('2026-03-01', '2026-02-01'), []);
});

test('parseDay accepts an existing day only', (t) => {
  t.is(parseDay('2026-11-20'), '2026-11-20');
  t.is(parseDay('2026-11-20T23:30:00-05:00'), '2026-11-20');
  for (const text of ['', 'monday', '2026-13-01', '2026-02-30', '20261120', '2026-11-20 '])
    t.is(parseDay(text), undefined, text);
});
