import test, { type ExecutionContext } from 'ava';

import { purchaseLabel } from '#jobs/labels.ts';
import { readConfig } from '#src/config.ts';
import { isDatabaseAway } from '#src/database/is-database-away.ts';
import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { createServices } from '#src/services.ts';
import { type ApiResponse, serveApi, type TestApi } from '#test/support/api.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildCart } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { type SilentProxy, startSilentProxy } from '#test/support/silent-proxy.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { processor } from '#workers/runtime/processor.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';

/* A machine or a network that disappears closes no connection: only our own limits end the wait. */

/** The process with its own limits, and PostgreSQL and Redis behind networks that can fail. */
interface Machine {
  readonly api: TestApi;
  readonly ctx: Context;
  readonly database: SilentProxy;
  readonly redis: SilentProxy;
  /** What a shopper and a router may request: with the response, and how long it took. */
  request(): Promise<Record<'cart' | 'add' | 'search' | 'ready', TimedResponse>>;
  readonly services: Awaited<ReturnType<typeof createServices>>;
}

interface TimedResponse extends ApiResponse {
  readonly tookMs: number;
}

/** Heroku's router gives up on a request after this time. */
const routerMs = seconds(30);

/** @param readMs where PostgreSQL responds all the time: the machine may be busy with other tests */
async function startMachine(t: ExecutionContext, readMs?: number): Promise<Machine> {
  const [copy, { url: redisUrl }] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const databaseUrl = new URL(copy.url);
  databaseUrl.searchParams.delete('connect_timeout');
  const [database, redis] = await Promise.all([startSilentProxy(databaseUrl.href), startSilentProxy(redisUrl)]);
  const environment = testEnvironment({ DATABASE_URL: database.url, REDIS_URL: redis.url });
  const own = await createServices(readConfig(environment), 'test', { log: silentLog });
  const services = { ...own, timeouts: { ...own.timeouts, ...(readMs && { readMs }) } };
  const api = await serveApi(services, { isRecorded: false });
  t.teardown(async () => {
    await api.close();
    await services.close();
    await Promise.all([database.close(), redis.close()]);
    await copy.drop();
  });
  await until(() => services.redis.status === 'ready');
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  const { slug: tenant } = ctx.tenant;
  const [{ variant }, { id }] = await Promise.all([buildProduct(ctx), buildCart(ctx)]);

  async function call(method: string, path: string, body?: unknown): Promise<TimedResponse> {
    const startedAt = performance.now();
    const response = await api.call(method, path, { tenant, body });
    return { ...response, tookMs: performance.now() - startedAt };
  }
  const request = async () => {
    const path = `/api/v1/cart/${id}`;
    const [cart, add, search, ready] = await Promise.all([
      call('GET', path),
      call('POST', `${path}/items`, { variantId: variant.id, quantity: 1, unitPriceCents: 3800 }),
      call('GET', `/api/v1/products?q=${Math.random()}`),
      call('GET', '/readyz'),
    ]);
    return { cart, add, search, ready };
  };
  return { api, ctx, services, database, redis, request };
}

test('requests get 503 in time while a connection to PostgreSQL is half-open, and succeed again after it', async (t) => {
  const { request, database } = await startMachine(t);
  const succeed = async () => Object.values(await request()).every(({ status }) => status < 300);
  await until(succeed);

  database.silence();
  const { ready: unready, ...rejected } = await request();
  for (const [name, { status, headers, tookMs }] of Object.entries(rejected)) {
    t.log(`${name}: ${status} after ${Math.round(tookMs)} ms`);
    t.is(status, 503, name);
    t.truthy(headers.get('retry-after'), name);
    t.true(tookMs < routerMs, name);
  }
  t.like(unready, { status: 503, body: { ready: false, database: false } });
  t.log(`/readyz: after ${Math.round(unready.tookMs)} ms`);

  database.restore();
  await until(succeed);
});

test('a transaction with a time limit of its own ends by that while its connection is half-open', async (t) => {
  const { ctx, database } = await startMachine(t);
  const startedAt = performance.now();
  const lost = transact(ctx, async (ctx) => {
    await ctx.tx.limitStatements(100);
    t.deepEqual(await ctx.tx.execute(sql`select current_setting('statement_timeout') as limit`), [{ limit: '100ms' }]);
    database.silence();
    await ctx.tx.execute(sql`select 1`);
  });
  t.true(isDatabaseAway(await t.throwsAsync(lost)));
  const tookMs = performance.now() - startedAt;
  t.true(tookMs < seconds(15), 'before the limit of other statements');
});

test('requests succeed and jobs wait while a connection to Redis is half-open, and each job runs once after it', async (t) => {
  const { api, request, redis, ctx, services } = await startMachine(t, minutes(1));
  const worked: string[] = [];
  const relay = startRelay(services);
  const workers = startWorkers(
    services,
    ['labels'],
    [processor(purchaseLabel, async (_ctx, { labelId }) => worked.push(labelId))],
  );
  const closeAll = () => Promise.all([relay.close(), workers.close(seconds(5))]);
  const enqueueFor = (labelId: string) =>
    transact(ctx, async (ctx) => enqueue(ctx, purchaseLabel, { labelId, attempt: 1 }));
  await enqueueFor('lbl_before');
  await until(() => worked.length === 1);

  redis.silence();
  const silentAt = performance.now();
  await enqueueFor('lbl_meanwhile');
  const { ready: _, ...requests } = await request();
  for (const [name, { status, tookMs }] of Object.entries(requests)) {
    t.log(`${name}: ${status} after ${Math.round(tookMs)} ms`);
    t.true(status < 300, name);
    t.true(tookMs < routerMs, name);
  }
  await until(async () => (await api.call('GET', '/readyz')).status === 200);
  t.is(await services.sharedMetrics.read(), undefined);
  await until(() => services.redis.status !== 'ready', { what: 'the silence to be noticed' });
  t.log(`Noticed after ${Math.round(performance.now() - silentAt)} ms.`);

  redis.restore();
  const restoredAt = performance.now();
  await until(() => worked.length === 2);
  t.log(`The job ran ${Math.round(performance.now() - restoredAt)} ms after Redis responded.`);
  t.deepEqual(worked, ['lbl_before', 'lbl_meanwhile']);
  const open = sql`select 1 from outbox where job = ${purchaseLabel.name} and finished_at is null`;
  await until(async () => (await services.execute(open)).length === 0);
  await closeAll();
});

test('the board says that Redis is unavailable while a connection to it is half-open', async (t) => {
  const { api, redis } = await startMachine(t);
  const overview = () => api.call('GET', '/ops/queues/api/queues');
  await until(async () => (await overview()).status === 200);
  redis.silence();
  for (const path of ['/ops/queues/api/queues', '/ops/queues/api/queues/labels/job_1']) {
    const { status, body } = await api.call('GET', path);
    t.is(status, 503, path);
    t.is(body.message, 'Redis is unavailable, so the queues cannot be shown. No data was lost.');
  }
  redis.restore();
  await until(async () => (await overview()).status === 200);
  redis.silence();
  t.is((await api.call('GET', '/ops/queues/api/queues/labels/job_1')).status, 503, 'noticed by the board itself');
});

test('a process stops in time while a connection to Redis is half-open', async (t) => {
  const { redis, services } = await startMachine(t);
  services.sharedMetrics.start();
  const relay = startRelay(services);
  const workers = startWorkers(services, ['labels'], []);
  redis.silence();
  const startedAt = performance.now();
  await Promise.all([relay.close(), workers.close(seconds(5))]);
  await services.sharedMetrics.close();
  const tookMs = performance.now() - startedAt;
  t.log(`Stopped after ${Math.round(tookMs)} ms.`);
  t.true(tookMs < routerMs);
});
