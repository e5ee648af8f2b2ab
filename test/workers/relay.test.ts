import test from 'ava';

import { drainEndpoint } from '#jobs/webhooks.ts';
import { readConfig } from '#src/config.ts';
import { transact } from '#src/database/transact.ts';
import { silentLog } from '#src/lib/log.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { createServices } from '#src/services.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { startSilentProxy } from '#test/support/silent-proxy.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { processor } from '#workers/runtime/processor.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';

test('a worker that was started while Redis was unavailable works once it is back', async (t) => {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const proxy = await startSilentProxy(redis.url);
  const services = await createServices(
    readConfig(testEnvironment({ DATABASE_URL: database.url, REDIS_URL: proxy.url })),
    'test',
    { log: silentLog },
  );
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  proxy.reject();
  const relay = startRelay(services, { pollEveryMs: 10, healEveryMs: 10 });
  const worked: string[] = [];
  const workers = startWorkers(
    services,
    ['webhooks'],
    [processor(drainEndpoint, async (_ctx, { endpointId }) => worked.push(endpointId))],
  );
  t.teardown(async () => {
    await Promise.all([workers.close(1000), relay.close()]);
    await services.close();
    await proxy.close();
    await database.drop();
  });
  await transact(ctx, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId: 'whe_1', causeId: 'test' }));
  await until(() => proxy.rejected > 10, { what: 'attempts to connect' });
  proxy.restore();
  await until(() => worked.length > 0, { what: 'the job' });
  t.deepEqual(worked, ['whe_1']);
});

test('a relay that was started while Redis was unavailable works once it is back', async (t) => {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const services = await createServices(
    readConfig(testEnvironment({ DATABASE_URL: database.url, REDIS_URL: redis.url })),
    'test',
    { log: silentLog },
  );
  services.redis.disconnect();
  const relay = startRelay(services, { pollEveryMs: 10, healEveryMs: 10 });
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  await transact(ctx, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId: 'whe_1', causeId: 'test' }));

  const worked = new Promise<string>((resolve) => {
    const workers = startWorkers(
      services,
      ['webhooks'],
      [processor(drainEndpoint, async (_ctx, { endpointId }) => resolve(endpointId))],
    );
    t.teardown(async () => {
      await Promise.all([workers.close(1000), relay.close()]);
      await services.close();
      await database.drop();
    });
  });
  await services.redis.connect();
  t.is(await worked, 'whe_1');
});
