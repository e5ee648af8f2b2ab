import test from 'ava';

import { addDays, dayNumber, dayOf, dayOfNumber, eachDay, parseDay, weekOf } from '#src/lib/calendar.ts';
import { networkOf } from '#src/lib/network-of.ts';

test('days are those of UTC, and weeks begin on Monday', (t) => {
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

test('a day is read from a text that names one, and from no other', (t) => {
  t.is(parseDay('2026-11-20'), '2026-11-20');
  t.is(parseDay('2026-11-20T23:30:00-05:00'), '2026-11-20');
  for (const text of ['', 'monday', '2026-13-01', '2026-02-30', '20261120', '2026-11-20 '])
    t.is(parseDay(text), undefined, text);
});

test('networkOf returns the network of an IP address in one notation', (t) => {
  t.is(networkOf('203.0.113.77'), '203.0.113');
  t.is(networkOf('::ffff:203.0.113.77'), '203.0.113');
  t.is(networkOf('2001:db8:7:1::5'), '2001:db8:7');
  t.is(networkOf('2001:0DB8:0007:ffff:0:0:0:1'), '2001:db8:7');
  t.is(networkOf('::1'), '0:0:0');
  t.is(networkOf('::1:2:3:4:5:6:7'), '0:1:2');
  t.is(networkOf('fe80::1%eth0'), 'fe80:0:0');
  for (const text of ['', 'localhost', '203.0.113', '203.0.113.256']) t.is(networkOf(text), '', text);
});
