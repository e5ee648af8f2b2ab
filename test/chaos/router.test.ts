import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { hours } from '#src/lib/duration.ts';
import { startRouter } from './router.ts';

/** A process that responds with what it got, after its name. */
async function startEcho(name: string) {
  const server = createServer(async (incoming, outgoing) => outgoing.end(`${name} ${await text(incoming)}`));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

test('a request whose process has just closed its port goes to another, and the router knows since when', async (t) => {
  const [old, next] = [await startEcho('old'), await startEcho('next')];
  // A request notices it first.
  const router = await startRouter(old.url, { pollIntervalMs: hours(1) });
  t.teardown(async () => {
    await router.close();
    next.close();
  });
  const send = async (body: string) => (await fetch(router.url, { method: 'POST', body })).text();
  t.is(await send('1'), 'old 1');
  await router.add(next.url);
  t.deepEqual((await Promise.all([send('2'), send('2')])).toSorted(), ['next 2', 'old 2']);
  old.close();
  const bodies = await Promise.all(['3', '4', '5', '6'].map(send));
  t.deepEqual(bodies, ['next 3', 'next 4', 'next 5', 'next 6']);
  t.deepEqual(router.failures, []);
  t.deepEqual([...router.closed.keys()], [old.url]);
});
