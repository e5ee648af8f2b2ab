import { MessageChannel } from 'node:worker_threads';
import test from 'ava';

import { within } from '#src/lib/within.ts';

test('within returns what has come in while the thread was busy, although its time is over', async (t) => {
  const waitMs = 20;
  const { port1, port2 } = new MessageChannel();
  t.teardown(() => port1.close());
  const response = within(waitMs, new Promise((resolve) => port2.once('message', resolve)));
  port1.postMessage('here');
  const until = performance.now() + 2 * waitMs;
  while (performance.now() < until);
  t.is(await response, 'here');
});

test('within returns nothing where nothing comes in time, and passes on an error that does', async (t) => {
  t.is(await within(1, new Promise(() => undefined)), undefined);
  await t.throwsAsync(within(60_000, Promise.reject(new Error('broken'))), { message: 'broken' });
});
