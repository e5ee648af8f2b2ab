import test from 'ava';

import { readConfig } from '#src/config.ts';
import { disableEndpoint, listDeliveries } from '#src/domain/webhooks/index.ts';
import { silentLog } from '#src/lib/log.ts';
import { createServices } from '#src/services.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildEndpoint, countStates, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { processors } from '#workers/processors/index.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';

/** A shop with a relay and webhook workers, as in production. */
async function openShop(t: { teardown(close: () => Promise<void>): void }) {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const environment = testEnvironment({ DATABASE_URL: database.url, REDIS_URL: redis.url, WEBHOOK_RETRY_SCHEDULE: '0s,100ms,200ms,400ms' });
  const services = await createServices(readConfig(environment), 'test', { log: silentLog });
  const relay = startRelay(services, { pollEveryMs: 20, healEveryMs: 1000 });
  const workers = startWorkers(services, ['webhooks'], processors);
  t.teardown(async () => {
    await Promise.all([workers.close(0), relay.close()]);
    await services.close();
    await database.drop();
  });
  return { services, ctx: { ...services.context(), tenant: await buildTenant(services) } };
}

test('while one endpoint hangs with many waiting, what happens reaches another at once', async (t) => {
  const { ctx } = await openShop(t);
  const [slow, quick] = [await receiverFor(t), await receiverFor(t)];
  slow.behave('hang');
  const hanging = await buildEndpoint(ctx, slow);
  const healthy = await buildEndpoint(ctx, quick);

  await recordTests(ctx, hanging.id, 200);
  await until(() => slow.waiting === hanging.concurrency, { what: 'the slow endpoint to be full' });
  const events = await recordTests(ctx, healthy.id, 60);
  await quick.received(60);

  t.deepEqual(quick.requests.map(({ body }) => body.id).toSorted(), events.toSorted());
  t.is(slow.mostAtOnce, hanging.concurrency);
  t.is(slow.waiting, hanging.concurrency);
  await disableEndpoint(ctx, { id: hanging.id });
});

test('an endpoint that fails for a while gets everything once it works again', async (t) => {
  const { ctx } = await openShop(t);
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  receiver.behave((_request, number) => (number <= 12 ? { status: 500 } : { status: 204 }));
  await recordTests(ctx, id, 30);
  await until(async () => (await countStates(ctx, id))['delivered'] === 30, { what: 'thirty deliveries' });
  const { rows } = await listDeliveries(ctx, { endpointId: id, limit: 100 });
  t.is(rows.reduce((sum, { attemptCount }) => sum + attemptCount, 0), receiver.requests.length);
});
