import { randomInt } from 'node:crypto';

import test from 'ava';

import { runLabelChaos } from '#test/chaos/run-label-chaos.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { createTestRedis } from '#test/support/redis.ts';

test('killed workers and lost responses cause no second label', async (t) => {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  t.teardown(() => database.drop());
  const seed = randomInt(2 ** 31);
  t.log(`npm run chaos:labels -- --orders 6 --kills 3 --seed ${seed}`);
  const breaches = await runLabelChaos({
    databaseUrl: database.url,
    redisUrl: redis.url,
    seed,
    orders: 6,
    stores: 2,
    workers: 2,
    killsMax: 3,
    skippedPointsMax: 80,
    resolveMs: 120_000,
    report: (line) => t.log(line),
  });
  t.deepEqual(breaches, []);
});
