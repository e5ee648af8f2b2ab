import test from 'ava';

import { createClockCorrection } from '#src/domain/analytics/correct-clock.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';

const receivedAt = new Date('2026-11-20T12:00:00Z');
const at = (laterMs: number) => new Date(receivedAt.getTime() + laterMs).toISOString();

/** How much earlier than their arrival events are stored, by the times that their sender gave. */
function storedBeforeMs(occurredMs: readonly (number | null)[], sentMs?: number): number[] {
  const occurredAt = occurredMs.map((ms) => (ms === null ? null : at(ms)));
  const correct = createClockCorrection(receivedAt, sentMs === undefined ? null : at(sentMs), occurredAt);
  return occurredAt.map((time) => receivedAt.getTime() - correct(time).getTime());
}

test('times of a sender whose clock is wrong are corrected by the time of sending', (t) => {
  t.deepEqual(storedBeforeMs([hours(1), hours(1) - minutes(5)], hours(1)), [0, minutes(5)]);
  t.deepEqual(storedBeforeMs([-days(30) - minutes(5)], -days(30)), [minutes(5)]);
});

test('without a time of sending, an event later than its arrival shows that the clock is ahead', (t) => {
  t.deepEqual(storedBeforeMs([hours(2), hours(2) - minutes(5)]), [0, minutes(5)]);
  t.deepEqual(storedBeforeMs([-minutes(1), -minutes(6)]), [minutes(1), minutes(6)]);
});

test('a time that is still in the future, or older than a week, is that of the arrival', (t) => {
  t.deepEqual(storedBeforeMs([minutes(1), -days(7), -days(7) - 1, null], 0), [0, days(7), 0, 0]);
});
