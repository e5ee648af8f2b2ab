import test from 'ava';
import { Cluster } from 'ioredis';

import { silentLog } from '#src/lib/log.ts';
import { connectRedis, readRedisNodes } from '#src/platform/redis.ts';

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
