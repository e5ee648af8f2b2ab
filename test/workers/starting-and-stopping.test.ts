import { once } from 'node:events';
import test from 'ava';
import { Queue } from 'bullmq';

import { purchaseLabel } from '#jobs/labels.ts';
import { queuePrefix } from '#jobs/queues.ts';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { readConfig } from '#src/config.ts';
import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { minutes } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { createServices } from '#src/services.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { openOwnServices } from '#test/support/own-services.ts';
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
  const { services, close } = await openOwnServices();
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
      await close();
    });
  });
  await services.redis.connect();
  t.is(await worked, 'whe_1');
});

test('a job that outlasts the stop of its process is aborted, is not failed by that, and completes in another', async (t) => {
  const { services, close } = await openOwnServices();
  const relay = startRelay(services, { pollEveryMs: 20 });
  const queue = new Queue('labels', { connection: services.connectBlocking(), prefix: queuePrefix('labels') });
  const work = (handle: (ctx: Context) => Promise<void>) => {
    const onlyOnce = { ...purchaseLabel, retry: { ...purchaseLabel.retry, attempts: 1 } };
    const onExhausted = async () => t.fail('it was taken for failed');
    return startWorkers(services, ['labels'], [processor(onlyOnce, handle, onExhausted)]);
  };
  t.teardown(async () => {
    await Promise.all([relay.close(), queue.close()]);
    await close();
  });
  const attempts: string[] = [];
  const stopping = work(async ({ signal }) => {
    attempts.push('began');
    await once(signal as AbortSignal, 'abort');
    attempts.push('aborted');
    throw signal?.reason;
  });
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  await transact(ctx, async (ctx) => enqueue(ctx, purchaseLabel, { labelId: 'lbl_1', attempt: 1 }));
  await until(() => attempts.length === 1);

  const another = work(async () => void attempts.push('completed'));
  await stopping.close(2_000);
  t.deepEqual(attempts.slice(0, 2), ['began', 'aborted']);
  await until(() => attempts.length === 3);
  const row = sql`select finished_at is not null as finished, failed_at from outbox where job = ${purchaseLabel.name}`;
  await until(async () => (await services.execute<{ finished: boolean }>(row))[0]?.finished);
  t.deepEqual(attempts, ['began', 'aborted', 'completed']);
  t.is(await queue.getFailedCount(), 0);
  await another.close(minutes(1));
});
