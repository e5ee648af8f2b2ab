import test from 'ava';
import { LRUCache } from 'lru-cache';
import { agingBy } from '#src/lib/clock.ts';
import { hours, seconds } from '#src/lib/duration.ts';
import { createTestClock } from '#test/support/clock.ts';

test('a cache ages by its clock, and goes on to where that is set back', (t) => {
  const clock = createTestClock();
  clock.stop();
  const cache = new LRUCache<string, string>({ max: 10, ttl: seconds(3), ...agingBy(clock) });
  for (const stepMs of [0, -hours(1), hours(2), -hours(5)]) {
    clock.pass(stepMs);
    cache.set('key', 'value');
    clock.pass(seconds(2));
    t.is(cache.get('key'), 'value');
    clock.pass(-hours(1));
    t.is(cache.get('key'), 'value');
    clock.pass(seconds(1) + 1);
    t.is(cache.get('key'), undefined);
  }
});
