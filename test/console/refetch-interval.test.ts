import test from 'ava';

import { refetchInterval } from '#src/console/src/lib/refetch-interval.ts';

/** Reads again and again for a minute what changes after so many milliseconds. @returns when it was read */
function timesOfReads(changesAfterMs: number): number[] {
  const [before, after] = [{ state: 'running' }, { state: 'completed' }];
  const times: number[] = [];
  for (let now = 0; now < 60_000; ) {
    times.push(now);
    const data = now < changesAfterMs ? before : after;
    now += refetchInterval({ state: { data, dataUpdatedAt: now, errorUpdatedAt: 0 } });
  }
  return times;
}

test('an outcome is seen within as long again as it took, or half a second, and never after more than 5 seconds', (t) => {
  for (let tookMs = 1; tookMs < 50_000; tookMs += 37) {
    const seenAt = timesOfReads(tookMs).find((time) => time >= tookMs) ?? Number.POSITIVE_INFINITY;
    t.true(seenAt - tookMs <= Math.min(5000, Math.max(500, tookMs)), `${tookMs} is seen at ${seenAt}`);
  }
});

test('what does not change is read every 5 seconds after the first five', (t) => {
  const times = timesOfReads(Number.POSITIVE_INFINITY);
  t.deepEqual(times.slice(0, 6), [0, 500, 1000, 2000, 4000, 8000]);
  t.deepEqual([...new Set(times.slice(6).map((time, index) => time - (times[index + 5] ?? 0)))], [5000]);
});

test('what cannot be read is tried again as rarely as what does not change', (t) => {
  const data = {};
  const state = { data, dataUpdatedAt: 1000, errorUpdatedAt: 0 };
  t.is(refetchInterval({ state }), 500);
  t.is(refetchInterval({ state: { ...state, errorUpdatedAt: 3000 } }), 2000);
  t.is(refetchInterval({ state: { ...state, errorUpdatedAt: 60_000 } }), 5000);
  t.is(refetchInterval({ state: { data: undefined, dataUpdatedAt: 0, errorUpdatedAt: 60_000 } }), 5000);
});
