import anyTest, { type TestFn } from 'ava';

import { readConfig } from '#src/config.ts';
import { silentLog } from '#src/lib/log.ts';
import { createServices } from '#src/services.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment, timeouts } from '#test/support/environment.ts';
import { aggregatedEvents, buildEvent, sendEvents, waitingBatches } from '#test/support/factories/analytics.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { processors } from '#workers/processors.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';

const test = anyTest as TestFn;

test('relay and workers continue to aggregate after Redis is wiped', async (t) => {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const environment = testEnvironment({ DATABASE_URL: database.url, REDIS_URL: redis.url });
  const services = await createServices(readConfig(environment), 'test', { log: silentLog, timeouts });
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  const relay = startRelay(services, { pollEveryMs: 50, healEveryMs: 100 });
  const workers = [
    startWorkers(services, ['analytics'], processors),
    startWorkers(services, ['analytics'], processors),
  ];
  try {
    const isAggregated = async (events: number) =>
      (await waitingBatches(ctx)) === 0 && (await aggregatedEvents(ctx)).length === events;
    await sendEvents(ctx, [buildEvent(), buildEvent()]);
    await until(() => isAggregated(2));
    await services.redis.flushdb();
    await sendEvents(ctx, [buildEvent()]);
    await until(() => isAggregated(3));
    t.pass();
  } finally {
    await Promise.all([relay.close(), ...workers.map((worker) => worker.close(1000))]);
    await services.close();
    await database.drop();
  }
});
