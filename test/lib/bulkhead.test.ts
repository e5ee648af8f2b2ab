import test from 'ava';

import { Bulkhead } from '#src/lib/bulkhead.ts';

const full = () => new Error('full');

test('Bulkhead starts a waiting call when another ends, and a call of another key at once', async (t) => {
  const bulkhead = new Bulkhead({ max: 1, waitMs: 60_000, errorWhenFull: full });
  const { promise, resolve: end } = Promise.withResolvers<string>();
  const first = bulkhead.run('one', () => promise);
  const second = bulkhead.run('one', async () => 'second');
  t.is(await bulkhead.run('other', async () => 'other'), 'other');
  end('first');
  t.deepEqual(await Promise.all([first, second]), ['first', 'second']);
});

test('Bulkhead rejects a call whose turn does not come in time, and continues with the next', async (t) => {
  const bulkhead = new Bulkhead({ max: 1, waitMs: 20, errorWhenFull: full });
  const { promise, resolve: end } = Promise.withResolvers<string>();
  const first = bulkhead.run('one', () => promise);
  let hasStarted = false;
  await t.throwsAsync(
    bulkhead.run('one', async () => {
      hasStarted = true;
    }),
    { message: 'full' },
  );
  end('first');
  t.is(await first, 'first');
  t.is(await bulkhead.run('one', async () => 'next'), 'next');
  t.false(hasStarted);
});

test('Bulkhead rejects at once what finds too many of its key waiting', async (t) => {
  const bulkhead = new Bulkhead({ max: 1, waitMs: 60_000, waitingMax: 2, errorWhenFull: full });
  const { promise, resolve: end } = Promise.withResolvers<void>();
  const accepted = Array.from({ length: 3 }, () => bulkhead.run('one', () => promise));
  await t.throwsAsync(
    bulkhead.run('one', () => promise),
    { message: 'full' },
  );
  t.is(await bulkhead.run('other', async () => 'other'), 'other');
  end();
  await Promise.all(accepted);
  t.is(await bulkhead.run('one', async () => 'next'), 'next');
});

test('Bulkhead frees the place of a call that fails', async (t) => {
  const bulkhead = new Bulkhead({ max: 1, waitMs: 20, errorWhenFull: full });
  await t.throwsAsync(
    bulkhead.run('one', () => Promise.reject(new Error('broken'))),
    { message: 'broken' },
  );
  t.is(await bulkhead.run('one', async () => 'next'), 'next');
});
