import test from 'ava';
import pg from 'pg';
import { readConfig } from '#src/config.ts';
import { createPartitions } from '#src/domain/analytics/index.ts';
import { dayOf, weekOf } from '#src/lib/calendar.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { createServices } from '#src/services.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment, timeouts } from '#test/support/environment.ts';
import {
  aggregatedEvents,
  buildEvent,
  rollUpsOf,
  sendEvents,
  waitingBatches,
} from '#test/support/factories/analytics.ts';
import { only } from '#test/support/only.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { startWorker } from '#test/support/start-worker.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { processors } from '#workers/processors.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';

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

test('a worker killed during aggregation loses and doubles no event', async (t) => {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const environment = testEnvironment({ DATABASE_URL: database.url, REDIS_URL: redis.url });
  const services = await createServices(readConfig(environment), 'test', { log: silentLog, timeouts });
  const blocker = new pg.Client({ connectionString: database.url, options: '-c app.platform=on' });
  t.teardown(async () => {
    await blocker.end();
    await services.close();
    await database.drop();
  });

  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  await createPartitions(services.context());
  const events = Array.from({ length: 40 }, (_, index) => buildEvent({ session_id: `s${index % 8}` }));
  for (let at = 0; at < events.length; at += 10) await sendEvents(ctx, events.slice(at, at + 10));

  // The worker has claimed the batches and waits here for an id that another transaction may be inserting.
  const { event_id: contested } = events[25] as { event_id: string };
  await blocker.connect();
  await blocker.query('begin');
  await blocker.query('insert into analytics_event_ids (tenant_id, event_id, week) values ($1, $2, $3)', [
    ctx.tenant.id,
    contested,
    weekOf(dayOf(services.clock.now())),
  ]);
  const aggregating = () =>
    services.execute(sql`
    select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
      and query ~ 'analytics_batches'`);
  const first = startWorker(t, environment);
  await until(async () => (await aggregating()).length > 0, { what: 'a worker in the middle of folding' });
  await first.kill('SIGKILL');
  t.is((await aggregatedEvents(ctx)).length, 0);
  await blocker.query('rollback');
  await until(async () => (await aggregating()).length === 0, { what: 'PostgreSQL to miss the worker' });
  t.is(await waitingBatches(ctx), 4, 'nothing of what it did was kept');

  startWorker(t, environment);
  await until(async () => (await waitingBatches(ctx)) === 0, { what: 'another worker to fold' });
  t.is((await aggregatedEvents(ctx)).length, 40);
  t.like(await rollUpsOf(ctx), { days: only({ events: 40, sessions: 8, viewed: 8 }) });
});
