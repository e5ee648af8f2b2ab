import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { Cluster } from 'ioredis';
import { minutes } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import { createCache } from '#src/platform/cache.ts';
import { connectRedis, readRedisNodes } from '#src/platform/redis.ts';
import { createTestClock } from '#test/support/clock.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { until } from '#test/support/until.ts';

/** The cache of a process of its own. */
async function openCache(t: ExecutionContext, url: string) {
  const clock = createTestClock();
  const redis = connectRedis(url, { blocking: false, log: silentLog });
  t.teardown(() => redis.disconnect());
  await redis.connect();
  let loads = 0;
  const cache = createCache(redis, clock);
  return { clock, redis, recall: () => cache.getOrLoad('rates', minutes(10), async () => `answer ${(loads += 1)}`) };
}

test('cache shares a loaded value between processes until it expires', async (t) => {
  const { url } = await createTestRedis();
  const [one, other] = [await openCache(t, url), await openCache(t, url)];
  await one.recall();
  const leftMs = await one.redis.pttl('cache:rates');
  t.true(leftMs > 0 && leftMs <= minutes(10), `${leftMs} ms`);
  // The cache waits a quarter of a second for Redis, and then loads the value.
  await until(async () => (await other.recall()).isCached, { what: 'Redis to be in time' });

  await one.redis.del('cache:rates');
  t.false((await one.recall()).isCached);
});

test("cache uses the process's own memory while Redis is unavailable", async (t) => {
  const { clock, redis, recall } = await openCache(t, (await createTestRedis()).url);
  redis.disconnect();
  await until(() => redis.status === 'end');
  await clock.standStill(async () => {
    t.deepEqual(await recall(), { text: 'answer 1', isCached: false });
    clock.pass(minutes(10));
    t.deepEqual(await recall(), { text: 'answer 1', isCached: true });
    clock.pass(1);
    t.deepEqual(await recall(), { text: 'answer 2', isCached: false });
  });
});

test('cache loads a value once for concurrent callers, and does not store a failure', async (t) => {
  const { redis, recall } = await openCache(t, (await createTestRedis()).url);
  const answers = await Promise.all(Array.from({ length: 8 }, recall));
  t.deepEqual([...new Set(answers.map(({ text }) => text))], ['answer 1']);

  const cache = createCache(redis, createTestClock());
  const refused = new Error('Nobody answers.');
  await t.throwsAsync(
    cache.getOrLoad('tax', minutes(1), () => Promise.reject(refused)),
    { is: refused },
  );
  t.deepEqual(await cache.getOrLoad('tax', minutes(1), async () => 'seven'), { text: 'seven', isCached: false });
});

test('readRedisNodes gives a node that is a host and a port alone the protocol and the login of the first', (t) => {
  t.deepEqual(readRedisNodes('rediss://user:p%40ss@one:7001, two:7002,redis://three:7003'), [
    'rediss://user:p%40ss@one:7001',
    'rediss://user:p%40ss@two:7002',
    'redis://three:7003',
  ]);
  t.deepEqual(readRedisNodes('redis://one:7001,two:7002'), ['redis://one:7001', 'redis://two:7002']);
});

for (const [kind, url] of Object.entries({ Redis: 'redis://127.0.0.1:1', Cluster: 'redis://127.0.0.1:1,127.0.0.1:2' }))
  test(`connectRedis: a blocking connection of a ${kind}, and a duplicate of it, connect by themselves`, (t) => {
    const connection = connectRedis(url, { blocking: true, log: silentLog });
    const duplicate = connection instanceof Cluster ? connection.duplicate() : connection.duplicate();
    duplicate.on('error', () => undefined);
    t.deepEqual([connection.status, duplicate.status], ['connecting', 'connecting']);
    connection.disconnect();
    duplicate.disconnect();
  });

test('connectRedis: connect() of a Cluster that is down resolves when it is up, also of a duplicate', async (t) => {
  const { url, close } = await startClusterThatIsDown();
  const connection = connectRedis(url, { blocking: false, log: silentLog }) as Cluster;
  const clusters = [connection, connection.duplicate()];
  t.teardown(() => {
    for (const cluster of clusters) cluster.disconnect();
    close();
  });
  for (const cluster of clusters) {
    await cluster.connect();
    t.is(cluster.status, 'ready');
  }
});

/** A node that has all slots of a cluster, which it reports as up each third time alone. */
async function startClusterThatIsDown() {
  let requests = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      for (const [, command = ''] of data.toString().matchAll(/\*\d+\r\n\$\d+\r\n((?:[^*])*)/g)) {
        const [name = '', , part = ''] = command.toLowerCase().split('\r\n');
        if (name !== 'cluster') socket.write('+OK\r\n');
        else if (part === 'slots') socket.write(slots);
        else {
          requests += 1;
          const state = `cluster_state:${requests % 3 === 0 ? 'ok' : 'fail'}\r\n`;
          socket.write(`$${state.length}\r\n${state}\r\n`);
        }
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const slots = `*1\r\n*3\r\n:0\r\n:16383\r\n*3\r\n$9\r\n127.0.0.1\r\n:${port}\r\n$1\r\na\r\n`;
  return { url: `redis://127.0.0.1:${port},127.0.0.1:${port}`, close: () => void server.close() };
}
