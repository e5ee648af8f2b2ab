import anyTest, { type TestFn } from 'ava';
import { Queue } from 'bullmq';

import { queuePrefix } from '#jobs/queues.ts';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { queueLimits } from '#src/outbox/claim-jobs.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Services } from '#src/services.ts';
import type { TestClock } from '#test/support/clock.ts';
import { fillOutbox } from '#test/support/fill-outbox.ts';
import { openOwnServices } from '#test/support/own-services.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { startRelay } from '#workers/relay/start-relay.ts';
import { processor } from '#workers/runtime/processor.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';

interface Fixture {
  services: Services;
  clock: TestClock;
  flooding: Context;
  other: Context;
  queue: Queue;
  /** The keys of the jobs that ran, by the store's id. */
  ran: Map<string, string[]>;
  /** Start a relay. */
  relay(): void;
  /** Start a worker whose jobs do this first. */
  work(before?: (ctx: Context) => Promise<unknown>): void;
  close(): Promise<void>;
}

const test = (anyTest as TestFn<Fixture>).serial;
const concurrency = 8;

test.beforeEach(async (t) => {
  const own = await openOwnServices({ WORKER_CONCURRENCY_WEBHOOKS: String(concurrency) });
  const { services, clock } = own;
  await until(() => services.redis.status === 'ready', { what: 'Redis' });
  const [flooding, other] = [await buildTenant(services), await buildTenant(services)];
  const queue = new Queue('webhooks', { connection: services.connectBlocking(), prefix: queuePrefix('webhooks') });
  const running: { close(deadlineMs: number): Promise<void> }[] = [];
  const ran: Fixture['ran'] = new Map([flooding, other].map(({ id }) => [id, []]));

  t.context = {
    services,
    clock,
    flooding: { ...services.context(), tenant: flooding },
    other: { ...services.context(), tenant: other },
    queue,
    ran,
    relay: () => running.push(startRelay(services)),
    work(before) {
      const handle = async (ctx: Context, key: string) => {
        await before?.(ctx);
        ran.get(ctx.tenant.id)?.push(key);
      };
      const processors = [processor(drainEndpoint, (ctx, { endpointId }) => handle(ctx, endpointId))];
      running.push(startWorkers(services, ['webhooks', 'emails'], processors));
    },
    async close() {
      await Promise.all([...running.map((each) => each.close(0)), queue.close()]);
      await own.close();
    },
  };
});
test.afterEach.always((t) => t.context.close());

const countOf = async (services: Services, condition: ReturnType<typeof sql>) => {
  const [row] = await services.execute<{ count: number }>(
    sql`select count(*)::int as count from outbox where ${condition}`,
  );
  return row?.count ?? 0;
};

/** All jobs that a queue holds. */
const held = (queue: Queue) => queue.getJobCountByTypes('active', 'wait', 'prioritized', 'delayed', 'completed');

test('while 20,000 jobs of one store are due, another store’s job overtakes them and schedules are kept', async (t) => {
  const { services, clock, flooding, other, queue, ran, relay, work } = t.context;
  const dueAt = clock.now();
  for (const name of ['webhooks', 'emails'] as const)
    await fillOutbox(services, { store: flooding.tenant.id, queue: name, count: 10_000, dueAt });
  relay();
  await until(async () => (await held(queue)) > 0);
  // Between two rounds nothing is added, and workers only take away.
  const watching = setInterval(async () => counts.push(await held(queue).catch(() => 0)), 50);
  const counts: number[] = [];
  t.teardown(() => clearInterval(watching));
  work();
  const flood = () => ran.get(flooding.tenant.id)?.length ?? 0;

  for (let number = 1; number <= 5; number += 1) {
    await until(() => flood() > number * 50, { what: 'the flood to run' });
    const before = flood();
    await transact(other, async (ctx) =>
      enqueue(ctx, drainEndpoint, { endpointId: `theirs ${number}`, causeId: 'test' }),
    );
    await until(() => ran.get(other.tenant.id)?.length === number, { what: 'the job of another store' });
    // How many run until the relay wakes depends on the machine. By age, all that are due would run first.
    t.true(flood() - before < 1000, `${flood() - before} jobs ran before that of another store`);
  }

  clock.pass(services.config.settings.sweepIntervalMs);
  const period = Math.floor(clock.now().getTime() / services.config.settings.sweepIntervalMs);
  await until(
    async () =>
      (await countOf(services, sql`job = 'payments.sweep-events' and key = ${String(period)} and relays > 0`)) === 1,
    { what: 'the schedule' },
  );
  t.true((await countOf(services, sql`relays = 0 and tenant_id = ${flooding.tenant.id}`)) > 5000);
  // 200 of the flood, one of the other store, and those that have finished, but are not yet taken out of Redis.
  const most = queueLimits.perStore + 1 + concurrency;
  t.true(counts.length > 5 && Math.max(...counts) <= most, `${Math.max(...counts)} jobs in Redis`);
});

test('a store whose jobs hang does not keep the jobs of another from running', async (t) => {
  const { services, clock, flooding, other, ran, relay, work } = t.context;
  await fillOutbox(services, { store: flooding.tenant.id, count: 400, dueAt: clock.now() });
  let hanging = 0;
  const released = Promise.withResolvers<void>();
  t.teardown(async () => released.resolve());
  work(async (ctx) => {
    if (ctx.tenant.id !== flooding.tenant.id) return;
    hanging += 1;
    await released.promise;
  });
  relay();
  await until(() => hanging === 4, { what: 'half of the concurrency' });
  for (let number = 1; number <= 20; number += 1) {
    await transact(other, async (ctx) =>
      enqueue(ctx, drainEndpoint, { endpointId: `theirs ${number}`, causeId: 'test' }),
    );
    await until(() => ran.get(other.tenant.id)?.length === number, { what: 'the job of another store' });
  }
  t.is(hanging, 4);
  released.resolve();
});

test('every job of three stores runs, two relays share the work, and Redis is wiped meanwhile', async (t) => {
  const { services, clock, flooding, other, ran, relay, work } = t.context;
  const dueAt = clock.now();
  const total = 600;
  await fillOutbox(services, { store: flooding.tenant.id, count: 400, dueAt });
  await fillOutbox(services, { store: other.tenant.id, count: 200, dueAt });
  relay();
  relay();
  work();
  const all = () => [...ran.values()].flat().length;
  await until(() => all() > 200, { what: 'some to have run' });
  await services.redis.flushdb();
  clock.pass(seconds(31));
  await until(async () => (await countOf(services, sql`finished_at is not null and tenant_id is not null`)) === total);
  t.deepEqual(
    [...ran.values()].map((keys) => new Set(keys).size),
    [400, 200],
  );
  // Those that ran when Redis lost them may have run twice.
  t.true(all() < total + 20, `${all()} runs`);
});
