import anyTest, { type ExecutionContext } from 'ava';
import { sweepEvents as sweepEventsJob, sweepStoreEvents } from '#jobs/payments.ts';
import type { QueueName } from '#jobs/queues.ts';
import { periodicJobNames, schedules, tickers } from '#jobs/schedules.ts';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { readConfig } from '#src/config.ts';
import { transact } from '#src/database/transact.ts';
import { claimRequest } from '#src/domain/idempotency/index.ts';
import { sweepEvents } from '#src/domain/payments/index.ts';
import { purchaseLabel } from '#src/domain/shipping/index.ts';
import type { Tenant } from '#src/domain/tenants/index.ts';
import { days, hours, minutes, seconds } from '#src/lib/duration.ts';
import { DomainError, Snooze } from '#src/lib/errors.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { claimDue } from '#src/outbox/claim-jobs.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { finish, startJob } from '#src/outbox/job-state.ts';
import { untilReady } from '#src/platform/redis.ts';
import { createServices } from '#src/services.ts';
import { labelOf, request } from '#test/domain/shipping/support.ts';
import { createTestClock } from '#test/support/clock.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildEndpoint, countStates, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import { openOwnServices } from '#test/support/own-services.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { processors } from '#workers/processors.ts';
import { openQueues } from '#workers/relay/relay-queues.ts';
import { createScheduler, startRelay } from '#workers/relay/start-relay.ts';
import { processor } from '#workers/runtime/processor.ts';
import { startWorkers } from '#workers/runtime/start-workers.ts';

/* Processes on two machines share one PostgreSQL and one Redis. The other's clock is minutes ahead, or behind. */

const test = anyTest.serial;
const skews = { ahead: minutes(5), behind: -minutes(5) };

async function openMachines(t: ExecutionContext, skewMs: number) {
  const [database, redis] = await Promise.all([createTestDatabase(), createTestRedis()]);
  const environment = testEnvironment({
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    WEBHOOK_RETRY_SCHEDULE: '0s,2500ms',
  });
  const shipping = fakeShippingGateway();
  let tenant: Tenant | undefined;
  const closings: (() => Promise<unknown>)[] = [];

  async function open(skewMs: number) {
    const machineClock = createTestClock();
    machineClock.pass(skewMs);
    const services = await createServices(readConfig(environment), 'test', {
      machineClock,
      log: silentLog,
      ports: { shipping },
    });
    await services.startClock();
    tenant ??= await buildTenant(services);
    return {
      services,
      ctx: { ...services.context(), tenant },
      relay: () => closings.push(startRelay(services, { pollEveryMs: 20, healEveryMs: 200 }).close),
      work(queue: QueueName) {
        const workers = startWorkers(services, [queue], processors);
        closings.push(() => workers.close(0));
      },
    };
  }
  const [here, there] = [await open(0), await open(skewMs)];
  t.teardown(async () => {
    await Promise.all(closings.map((close) => close()));
    await Promise.all([here.services.close(), there.services.close()]);
    await database.drop();
  });
  return { here, there, shipping };
}

for (const [direction, skewMs] of Object.entries(skews)) {
  test(`a webhook is retried in time where the relay runs on a machine whose clock is ${direction}`, async (t) => {
    const { here, there } = await openMachines(t, skewMs);
    const receiver = await receiverFor(t);
    receiver.behave((_request, number) => ({ status: number === 1 ? 500 : 204 }));
    const { id } = await buildEndpoint(here.ctx, receiver);
    there.relay();
    here.work('webhooks');
    await recordTests(here.ctx, id);
    await until(async () => (await countStates(here.ctx, id))['delivered'] === 1, { what: 'the retry' });
    t.is(receiver.requests.length, 2);
  });

  test(`a webhook is retried in time where it is sent from a machine whose clock is ${direction}`, async (t) => {
    const { here, there } = await openMachines(t, skewMs);
    const receiver = await receiverFor(t);
    receiver.behave((_request, number) => ({ status: number === 1 ? 500 : 204 }));
    const { id } = await buildEndpoint(here.ctx, receiver);
    here.relay();
    there.work('webhooks');
    await recordTests(here.ctx, id);
    await until(async () => (await countStates(here.ctx, id))['delivered'] === 1, { what: 'the retry' });
    t.is(receiver.requests.length, 2);
  });

  test(`a relay on a machine whose clock is ${direction} claims a job when it is due, not before`, async (t) => {
    const { here, there } = await openMachines(t, skewMs);
    const promise = (endpointId: string, inMs: number) =>
      transact(here.ctx, async (ctx) =>
        enqueue(ctx, drainEndpoint, { endpointId, causeId: 'test' }, { dueAt: new Date(Date.now() + inMs) }),
      );
    await promise('due', -seconds(1));
    await promise('later', minutes(2));
    const { claims } = await claimDue(there.services.execute, [drainEndpoint.name], there.services.clock.now());
    t.is(claims.length, 1);
  });

  test(`a label is bought by one worker at a time, also beside one whose clock is ${direction}`, async (t) => {
    const { here, there, shipping } = await openMachines(t, skewMs);
    await buildShippingAccount(here.ctx);
    for (const [holder, other] of [
      [here, there],
      [there, here],
    ] as const) {
      const { order, labelId } = await request(here.ctx);
      const { latestAttempt: attempt } = await labelOf(here.ctx, order.id);
      const buying = Promise.withResolvers<void>();
      const purchase = Promise.withResolvers<never>();
      const slow = {
        ...shipping,
        async buyLabel() {
          buying.resolve();
          return purchase.promise;
        },
      };
      const held = purchaseLabel(
        { ...holder.ctx, ports: { ...holder.ctx.ports, shipping: slow } },
        { labelId, attempt },
      );
      await buying.promise;
      await t.throwsAsync(purchaseLabel(other.ctx, { labelId, attempt }), {
        instanceOf: Snooze,
        message: /holds the label/,
      });
      purchase.reject(new Snooze(0, 'later'));
      await t.throwsAsync(held);
    }
    t.deepEqual(shipping.bought(), []);
  });

  test(`an idempotent request runs once where its repeat comes to a machine whose clock is ${direction}`, async (t) => {
    const { here, there } = await openMachines(t, skewMs);
    for (const [first, second] of [
      [here, there],
      [there, here],
    ] as const) {
      const key = `from ${first === here ? 'here' : 'there'}`;
      const request = { method: 'POST', path: '/checkout/sessions', credential: 'key_1', key, body: Buffer.from('{}') };
      t.true('lease' in (await claimRequest(first.ctx, request)));
      const error = await t.throwsAsync(claimRequest(second.ctx, request), { instanceOf: DomainError });
      t.is(error.code, 'idempotency_in_progress');
    }
  });

  test(`each schedule is started once a period by relays of which one has a clock that is ${direction}`, async (t) => {
    const { here, there } = await openMachines(t, skewMs);
    const { sweepIntervalMs } = here.services.config.settings;
    const periodsAt = (now: number) =>
      schedules.map(
        ({ name, everyMs }) => `${name} ${Math.floor(now / (everyMs === 'sweep' ? sweepIntervalMs : everyMs))}`,
      );
    const before = Date.now() - seconds(1);
    await createScheduler(here.services)();
    await createScheduler(there.services)();
    const rows = await here.services.execute<{ name: string }>(sql`
      select job || ' ' || (payload ->> 'period') as name from outbox where tenant_id is null`);
    const possible = new Set([...periodsAt(before), ...periodsAt(Date.now() + seconds(1))]);
    t.deepEqual(
      rows.filter(({ name }) => !possible.has(name)),
      [],
    );
    t.true(rows.length >= schedules.length);
  });
}

/** This machine's clock, which stands still where it is set, so that no delay ends, until it is set right. */
function setMachine(t: ExecutionContext): { ahead(milliseconds: number): void; right(): void } {
  const { now } = Date;
  const startedAt = now();
  const right = () => void (Date.now = now);
  t.teardown(right);
  return { right, ahead: (milliseconds) => void (Date.now = () => startedAt + milliseconds) };
}

/** A relay that heals often, and a job that is put off once, for so long, after `prepare`. */
async function openSnoozing(t: ExecutionContext, snoozeMs: number, prepare: () => void = () => undefined) {
  const { services, clock, close } = await openOwnServices();
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  await untilReady(services.redis);
  const relay = startRelay(services, { pollEveryMs: 20, healEveryMs: 100 });
  const queues = openQueues(services);
  let runs = 0;
  const snoozing = processor(drainEndpoint, async () => {
    runs += 1;
    if (runs > 1) return;
    prepare();
    throw new Snooze(snoozeMs, 'later');
  });
  const workers = startWorkers(services, ['webhooks'], [snoozing]);
  t.teardown(async () => {
    await Promise.all([relay.close(), workers.close(0), ...[...queues.values()].map((queue) => queue.close())]);
    await close();
  });
  await transact(ctx, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId: 'any', causeId: 'test' }));
  const delayed = async () => (await queues.get('webhooks')?.getDelayed())?.[0];
  /** When BullMQ runs it, by the clock of the machine. */
  const dueAt = async () => {
    const score = await services.redis.zscore('{webhooks}:webhooks:delayed', (await delayed())?.id ?? '');
    return score === null ? undefined : Math.floor(Number(score) / 0x1000);
  };
  await until(async () => runs === 1 && (await dueAt()) !== undefined, { what: 'the delay' });
  return { services, clock, workers, dueAt, runs: () => runs };
}

test('a job that was put off while the clock of its machine was days ahead runs soon after it is set right', async (t) => {
  const machine = setMachine(t);
  const { clock, runs } = await openSnoozing(t, 10, () => machine.ahead(days(2)));
  machine.right();
  const isRunAfterASecond = () => {
    clock.pass(seconds(1));
    return runs() === 2;
  };
  await until(isRunAfterASecond, { what: 'the job after its delay' });
  t.pass();
});

test('a job that was put off before the clock of its machine was set back waits for its delay alone', async (t) => {
  const machine = setMachine(t);
  const { clock, dueAt } = await openSnoozing(t, minutes(2));
  machine.ahead(-hours(1));
  const isDueSoon = async () => {
    clock.pass(seconds(1));
    return Number(await dueAt()) <= Date.now() + minutes(2);
  };
  await until(isDueSoon, { what: 'the delay from now' });
  t.pass();
});

test('a job that is put off where the clock of each machine is ahead of PostgreSQL runs after its delay', async (t) => {
  const machine = setMachine(t);
  const { services, clock, dueAt } = await openSnoozing(t, minutes(5), () => machine.ahead(hours(1)));
  const before = await dueAt();
  const checks = async () => {
    const [row] = await services.execute<{ relays: number }>(sql`select max(relays) as relays from outbox`);
    return row?.relays ?? 0;
  };
  for (let minute = 1; minute <= 3; minute += 1) {
    const checked = await checks();
    machine.ahead(hours(1) + minutes(minute));
    clock.pass(minutes(1) + seconds(1));
    await until(async () => (await checks()) > checked, { what: 'a check of the relay' });
  }
  t.is(await dueAt(), before);
});

test('a job runs that the clocks of its workers, which are behind, would delay for longer', async (t) => {
  const machine = setMachine(t);
  const { clock, workers, dueAt } = await openSnoozing(t, minutes(2));
  await workers.close(0);
  machine.ahead(minutes(10));
  const isTaken = async () => {
    clock.pass(seconds(1));
    return (await dueAt()) === undefined;
  };
  await until(isTaken, { what: 'the job in its queue' });
  t.pass();
});

for (const [direction, offsetMs] of [
  ['ahead', days(2)],
  ['right', 0],
] as const)
  test(`what recurs every few seconds continues after the clock of its machine, ${direction} before, is set back`, async (t) => {
    const { services, close } = await openOwnServices();
    const machine = setMachine(t);
    machine.ahead(offsetMs);
    await untilReady(services.redis);
    const relay = startRelay(services, { pollEveryMs: 20, healEveryMs: 100 });
    const queues = openQueues(services);
    t.teardown(async () => {
      await Promise.all([relay.close(), ...[...queues.values()].map((queue) => queue.close())]);
      await close();
    });
    const due = () =>
      Promise.all(
        tickers.map(async ({ job }) => (await queues.get(job.queue)?.getJobScheduler(job.name))?.next ?? undefined),
      );
    await until(async () => (await due()).every((next) => next !== undefined), { what: 'the tickers' });
    machine.ahead(offsetMs - days(2));
    await until(async () => (await due()).every((next) => next !== undefined && next < Date.now() + minutes(1)), {
      what: 'tickers that are due soon',
    });
    t.pass();
  });

test("what is done in each period, also for each store, is done again after PostgreSQL's clock was ahead", async (t) => {
  const { services, clock, close } = await openOwnServices();
  t.teardown(close);
  await buildPaymentAccount({ ...services.context(), tenant: await buildTenant(services) });
  const schedule = createScheduler(services);
  /** How often each job is done within 70 minutes, in which an idle store is swept once. */
  const doPeriods = async () => {
    const counts: Record<string, number> = {};
    for (let passed = 0; passed < 70; passed += 5) {
      clock.pass(minutes(5));
      await schedule();
      const { claims } = await claimDue(services.execute, periodicJobNames, clock.now());
      for (const { id, job } of claims) {
        const started = await startJob(services.execute, id, clock.now());
        if (job === sweepEventsJob.name) await sweepEvents(services.context(), started?.payload as { period: number });
        await services.execute(finish(id, clock.now()));
        counts[job] = (counts[job] ?? 0) + 1;
      }
    }
    return counts;
  };
  const sweeps = [sweepEventsJob.name, sweepStoreEvents.name];
  const before = await doPeriods();
  clock.pass(days(2));
  await doPeriods();
  clock.pass(-days(2) - minutes(140));
  const after = await doPeriods();
  t.deepEqual(
    sweeps.map((name) => Math.abs((after[name] ?? 0) - (before[name] ?? 0)) <= 1 && (after[name] ?? 0) > 0),
    [true, true],
    JSON.stringify({ before, after }),
  );
});
