import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { until } from '#test/support/until.ts';
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
  const router = await startRouter(old.url);
  t.teardown(async () => {
    await router.close();
    next.close();
  });
  const send = async (body: string) => (await fetch(router.url, { method: 'POST', body })).text();
  t.is(await send('1'), 'old 1');
  router.add(next.url);
  await until(async () => (await send('2')) === 'next 2');
  old.close();
  const bodies = await Promise.all(['3', '4', '5', '6'].map(send));
  t.deepEqual(bodies, ['next 3', 'next 4', 'next 5', 'next 6']);
  t.deepEqual(router.failures, []);
  t.deepEqual([...router.closed.keys()], [old.url]);
});
