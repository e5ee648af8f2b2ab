import test from 'ava';

import { readRedisNodes } from '#src/platform/redis.ts';

test('readRedisNodes gives a node that is a host and a port alone the protocol and the login of the first', (t) => {
  t.deepEqual(readRedisNodes('rediss://user:p%40ss@one:7001, two:7002,redis://three:7003'), [
    'rediss://user:p%40ss@one:7001',
    'rediss://user:p%40ss@two:7002',
    'redis://three:7003',
  ]);
  t.deepEqual(readRedisNodes('redis://one:7001,two:7002'), ['redis://one:7001', 'redis://two:7002']);
});
