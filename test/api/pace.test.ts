import { setTimeout as pause } from 'node:timers/promises';

import test from 'ava';

import { Pace } from '#src/api/lib/pace.ts';
import { Snooze } from '#src/lib/errors.ts';

/** Serves requests, each until `endNext` ends it. */
function open(isBusy: () => boolean, waitMs = 60_000, pausing?: Promise<void>) {
  const pauses: number[] = [];
  const takePause = async (ms: number) => {
    pauses.push(ms);
    await pausing;
  };
  const pace = new Pace({ waitMs, isBusy, pause: takePause });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const request = (store: string) =>
    pace.run(store, () => {
      begun.push(store);
      return new Promise<string>((resolve) => ends.push(() => resolve(store)));
    });
  const begunAfter = async (count: number) => {
    while (begun.length < count) await pause(1);
    return begun;
  };
  return { request, begun, begunAfter, pauses, endNext: () => ends.shift()?.() };
}

test('Pace serves few requests at once while the thread is not busy, and one more in their turn', async (t) => {
  const { request, begun, begunAfter, endNext } = open(() => false);
  const replies = ['one', 'one', 'one', 'one'].map(request);
  t.deepEqual(begun, ['one', 'one']);
  t.deepEqual(await begunAfter(3), ['one', 'one', 'one']);
  await new Promise(setImmediate);
  t.is(begun.length, 3);
  for (let ended = 0; ended < 3; ended += 1) endNext();
  await begunAfter(4);
  endNext();
  t.is((await Promise.all(replies)).length, 4);
});

test('Pace serves one request after the other while the thread is busy, of each store in turn', async (t) => {
  const { request, begun, begunAfter, endNext } = open(() => true);
  const replies = ['one', 'one', 'one', 'other'].map(request);
  for (const served of [['one'], ['one', 'other'], ['one', 'other', 'one'], ['one', 'other', 'one', 'one']]) {
    t.deepEqual(await begunAfter(served.length), served);
    await new Promise(setImmediate);
    t.deepEqual(begun, served, 'the next one has to wait');
    endNext();
  }
  t.deepEqual(await Promise.all(replies), ['one', 'one', 'one', 'other']);
});

test('Pace replies at once, and pauses for twice the time of the thread before it serves the next', async (t) => {
  const pausing = Promise.withResolvers<void>();
  const { request, begun, begunAfter, pauses, endNext } = open(() => true, 60_000, pausing.promise);
  const [first] = [request('one'), request('one')];
  await begunAfter(1);
  const before = performance.eventLoopUtilization();
  while (performance.eventLoopUtilization(before).active < 30) await new Promise(setImmediate);
  endNext();
  await first;
  await new Promise(setImmediate);
  t.is(begun.length, 1);
  t.true((pauses[0] ?? 0) >= 60, `${pauses[0]} ms`);
  pausing.resolve();
  await begunAfter(2);
});

test('Pace snoozes a request whose turn does not come in time, and serves those behind it', async (t) => {
  const { request, begunAfter, endNext } = open(() => true, 20);
  const served = request('one');
  await t.throwsAsync(request('one'), { instanceOf: Snooze });
  endNext();
  t.is(await served, 'one');
  await new Promise(setImmediate);
  const next = request('one');
  await begunAfter(2);
  endNext();
  t.is(await next, 'one');
});

test('Pace lets a request wait for no longer than its time, behind its store and all others together', async (t) => {
  const waitMs = 400;
  const { request, begunAfter, endNext } = open(() => true, waitMs);
  const served = request('one');
  await begunAfter(1);
  const ahead = t.throwsAsync(request('two'), { instanceOf: Snooze });
  await pause(waitMs / 2);
  // Had it waited anew behind all others, it would have been half as much again. Timers of one process end in their
  // order, however busy the machine is.
  const tooLong = pause(waitMs * 1.4, 'too long');
  await Promise.all([t.throwsAsync(Promise.race([request('two'), tooLong]), { instanceOf: Snooze }), ahead]);
  endNext();
  await served;
});

test('Pace lets the next request begin after one that failed', async (t) => {
  const pace = new Pace({ waitMs: 60_000, isBusy: () => true });
  await t.throwsAsync(
    pace.run('one', () => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  );
  t.is(await pace.run('one', async () => 'served'), 'served');
});
