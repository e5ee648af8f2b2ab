import anyTest from 'ava';
import { Redis } from 'ioredis';

import { drainEndpoint } from '#jobs/webhooks.ts';
import { readConfig } from '#src/config.ts';
import { read, transact } from '#src/database/transact.ts';
import { disableEndpoint, listDeliveries } from '#src/domain/webhooks/index.ts';
import { seconds } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { createServices } from '#src/services.ts';
import { createTestClock } from '#test/support/clock.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { testEnvironment, timeouts } from '#test/support/environment.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildEndpoint, countStates, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { processors } from '#workers/processors.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';

// One after the other, because each test loads the machine.
const test = anyTest.serial;

/** A store with a relay and webhook workers, as in production. */
async function openStoreFixture(t: { teardown(close: () => Promise<void>): void }) {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const environment = testEnvironment({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    WEBHOOK_RETRY_SCHEDULE: '0s,100ms,200ms,400ms',
  });
  const clock = createTestClock();
  const services = await createServices(readConfig(environment), 'test', { clock, log: silentLog, timeouts });
  const relay = startRelay(services, { pollEveryMs: 20, healEveryMs: 200 });
  const workers = startWorkers(services, ['webhooks'], processors);
  t.teardown(async () => {
    await Promise.all([workers.close(0), relay.close()]);
    await services.close();
    await database.drop();
  });
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  return {
    ctx,
    clock,
    redisUrl: redis.url,
    /** What a process does when it is stopped. */
    async stop() {
      services.beginClosing();
      await workers.close(seconds(25));
    },
  };
}

test('while one endpoint hangs with many pending deliveries, events reach another at once', async (t) => {
  const { ctx } = await openStoreFixture(t);
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

test('an endpoint that hangs is woken a few times, however many events it misses, and gets all of them', async (t) => {
  const { ctx, clock } = await openStoreFixture(t);
  const receiver = await receiverFor(t);
  receiver.behave('hang');
  const { id } = await buildEndpoint(ctx, receiver);
  const count = 1000;
  await clock.standStill(async () => {
    await recordTests(ctx, id, count);
    await until(async () => (await countStates(ctx, id))['pending'] === count, { what: 'every delivery' });
    const drains = (await enqueuedJobs(ctx, drainEndpoint)).length;
    t.true(drains <= 10, `${drains} jobs`);
  });
  receiver.behave({ status: 204 });
  receiver.release();
  await until(async () => (await countStates(ctx, id))['delivered'] === count, { what: 'every delivery to arrive' });
  const drains = (await enqueuedJobs(ctx, drainEndpoint)).length;
  t.true(drains <= 30, `${drains} jobs`);
});

test('an endpoint that failed gets every event once it works again', async (t) => {
  const { ctx } = await openStoreFixture(t);
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  receiver.behave((_request, number) => (number <= 12 ? { status: 500 } : { status: 204 }));
  await recordTests(ctx, id, 30);
  await until(async () => (await countStates(ctx, id))['delivered'] === 30, { what: 'thirty deliveries' });
  const { rows } = await listDeliveries(ctx, { endpointId: id, limit: 100 });
  t.is(
    rows.reduce((sum, { attemptCount }) => sum + attemptCount, 0),
    receiver.requests.length,
  );
});

test('every delivery arrives when Redis is wiped while hundreds are due', async (t) => {
  const { ctx, clock, redisUrl } = await openStoreFixture(t);
  const receiver = await receiverFor(t);
  const endpoints = [];
  for (let index = 0; index < 20; index += 1)
    endpoints.push(await buildEndpoint(ctx, receiver, { concurrency: 1, events: ['order.paid'] }));
  const { id: orderId } = await buildPaidOrder(ctx);
  const events = await transact(ctx, async (ctx) =>
    Array.from({ length: 40 }, () => recordEvent(ctx, 'order.paid', orderId)),
  );

  await receiver.received(200);
  const redis = new Redis(redisUrl);
  await redis.flushdb();
  redis.disconnect();
  // What the wiped queues held is relayed again half a minute after it was relayed.
  clock.pass(seconds(31));

  const expected = events.toSorted();
  for (const { id, url } of endpoints) {
    await until(async () => (await countStates(ctx, id))['delivered'] === events.length, { what: 'every delivery' });
    const arrived = receiver.requests.filter(({ path }) => url.endsWith(path)).map(({ body }) => body.id);
    t.deepEqual([...new Set(arrived)].toSorted(), expected);
  }
});

test('a process that is shut down ends soon, however much is due, and another one continues', async (t) => {
  const { ctx, stop } = await openStoreFixture(t);
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 2, rate_per_second: 20 });
  await recordTests(ctx, id, 100);
  await receiver.received(5);

  const startedAt = performance.now();
  await stop();
  t.true(performance.now() - startedAt < 15_000, 'a drain may take twenty seconds');
  const [slots] = await read<{ held: number }>(
    ctx,
    sql`
    select count(*)::int as held from webhook_endpoint_leases where tenant_id = ${ctx.tenant.id} and token is not null`,
  );
  t.is(slots?.held, 0);
  const { delivered = 0, pending = 0 } = await countStates(ctx, id);
  t.true(
    delivered >= 5 && delivered < 100 && delivered === receiver.requests.length,
    `${delivered} delivered, ${pending} waiting`,
  );
});
