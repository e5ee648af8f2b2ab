import anyTest, { type TestFn } from 'ava';
import { drainEndpoint as drainEndpointJob } from '#jobs/webhooks.ts';
import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { beginWithinMs } from '#src/domain/webhooks/endpoint-leases.ts';
import { newSecret } from '#src/domain/webhooks/endpoint-secrets.ts';
import {
  disableEndpoint,
  drainEndpoint,
  type EndpointEntry,
  listDeliveries,
  recoverDeliveries,
  redeliver,
  removeEndpoint,
  rotateSecret,
  saveEndpoint,
  sendTestEvent,
  updateEndpoint,
} from '#src/domain/webhooks/index.ts';
import { days, hours, minutes, seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { dieAt } from '#test/support/die-at.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildEndpoint, countStates, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { interleave } from '#test/support/interleave.ts';
import { jobAttempt } from '#test/support/job-attempts.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { until } from '#test/support/until.ts';

const test = (anyTest as TestFn<TestContext>).serial;
useContext(anyTest as TestFn<TestContext>);

const leasesHeld = async (ctx: Context, endpointId: string) =>
  (
    await read(
      ctx,
      sql`select number from webhook_endpoint_leases where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId}
        and token is not null`,
    )
  ).length;

test('a drain that ends releases its own lease, and no other of its store', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 2 });
  await recordTests(ctx, id, 1);
  receiver.behave('hang');
  const drain = drainEndpoint(ctx, { endpointId: id });
  await until(() => receiver.waiting === 1);

  const other = await buildEndpoint(ctx, receiver);
  for (const endpointId of [id, other.id]) await drainEndpoint(ctx, { endpointId });
  const held = [await leasesHeld(ctx, id), await leasesHeld(ctx, other.id)];
  receiver.behave({ status: 204 });
  receiver.release();
  await drain;
  t.deepEqual(held, [1, 0]);
  t.is(await leasesHeld(ctx, id), 0);
});

test('redeliver does not send a delivery that is being attempted a second time', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  await recordTests(ctx, id, 1);
  receiver.behave('hang');
  const drain = drainEndpoint(ctx, { endpointId: id });
  await until(() => receiver.waiting === 1);

  const [delivery] = (await listDeliveries(ctx, { endpointId: id, limit: 1 })).rows;
  await redeliver(ctx, { id: delivery?.id ?? '' });
  receiver.behave({ status: 204 });
  receiver.release();
  await drain;
  await drainEndpoint(ctx, { endpointId: id });
  t.is(receiver.requests.length, 1);
  t.deepEqual(await countStates(ctx, id), { delivered: 1 });
});

test('no more requests are in flight than the concurrency allows, however many jobs run', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  for (const concurrency of [1, 3, 16]) {
    const { id } = await buildEndpoint(ctx, receiver, { concurrency });
    await recordTests(ctx, id, 24);
    receiver.behave('hang');
    const drains = Promise.all(Array.from({ length: 6 }, () => drainEndpoint(ctx, { endpointId: id })));
    await until(() => receiver.waiting === concurrency, { what: `${concurrency} requests in flight` });
    receiver.behave({ status: 204 });
    receiver.release();
    await drains;
    t.deepEqual(await countStates(ctx, id), { delivered: 24 });
    t.is(await leasesHeld(ctx, id), 0);
  }
  t.is(receiver.mostAtOnce, 16);
});

test('a job that finds no free lease is not lost: the holder checks once more after releasing its lease', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 1);
  receiver.behave('hang');
  const holder = drainEndpoint(ctx, { endpointId: id });
  await until(() => receiver.waiting === 1);

  // The second delivery comes, and its wake-up is worked and over, while the first still hangs.
  await recordTests(ctx, id, 1);
  const before = (await enqueuedJobs(ctx, drainEndpointJob)).length;
  await drainEndpoint(ctx, { endpointId: id });
  t.is(receiver.requests.length, 1);
  t.is((await enqueuedJobs(ctx, drainEndpointJob)).length, before, 'a job without a lease enqueues nothing');

  receiver.behave({ status: 204 });
  receiver.release();
  await holder;
  await runJobs(services);
  t.deepEqual(await countStates(ctx, id), { delivered: 2 });
});

test('a drain that is shut down finishes its attempts, releases its lease and leaves the rest', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 2 });
  await recordTests(ctx, id, 6);
  receiver.behave('hang');
  const stopping = new AbortController();
  const drain = drainEndpoint({ ...ctx, stopping: stopping.signal }, { endpointId: id });
  await until(() => receiver.waiting === 1);
  const before = (await enqueuedJobs(ctx, drainEndpointJob)).length;
  stopping.abort();
  receiver.behave({ status: 204 });
  receiver.release();
  await drain;
  t.is(receiver.requests.length, 1);
  t.is(await leasesHeld(ctx, id), 0);
  t.deepEqual(await countStates(ctx, id), { delivered: 1, pending: 5 });
  t.is((await enqueuedJobs(ctx, drainEndpointJob)).length, before + 1);
  await drainEndpoint(ctx, { endpointId: id });
  t.deepEqual(await countStates(ctx, id), { delivered: 6 });
});

test('what a drain that is shut down had claimed and not attempted is due as before', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 30);
  const waiting = () =>
    read<{ id: string; at: Date }>(
      ctx,
      sql`
      select id, next_attempt_at as at from webhook_deliveries
      where tenant_id = ${ctx.tenant.id} and state = 'pending' order by id`,
    );
  const before = await waiting();
  // Batches have grown by then.
  receiver.behave((_, number) => (number < 9 ? { status: 204 } : 'hang'));
  const stopping = new AbortController();
  const drain = drainEndpoint({ ...ctx, stopping: stopping.signal }, { endpointId: id });
  await until(() => receiver.waiting === 1);
  stopping.abort();
  receiver.behave({ status: 204 });
  receiver.release();
  await drain;
  const rest = await waiting();
  t.is(rest.length, 21);
  t.deepEqual(
    rest,
    before.filter(({ id }) => rest.some((delivery) => delivery.id === id)),
  );
});

test('each attempt begins when the worker has a turn for it, and its end is the end of the turn', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 3);
  const turns: (() => void)[] = [];
  let ended = 0;
  const takeTurn = () => new Promise<() => void>((resolve) => turns.push(() => resolve(() => void (ended += 1))));
  const drain = drainEndpoint({ ...ctx, takeTurn }, { endpointId: id });
  for (const begun of [0, 1, 2]) {
    await until(() => turns.length > begun);
    t.deepEqual([receiver.requests.length, ended], [begun, begun]);
    turns[begun]?.();
  }
  await drain;
  t.deepEqual([receiver.requests.length, ended], [3, 3]);
});

test('a delivery whose turn comes later than its batch may begin is not attempted in it, but in the next', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 1);
  const requestsAtTurn: number[] = [];
  const takeTurn = async () => {
    if (requestsAtTurn.push(receiver.requests.length) === 1) clock.pass(beginWithinMs);
    return () => undefined;
  };
  await drainEndpoint({ ...ctx, takeTurn }, { endpointId: id });
  t.deepEqual(requestsAtTurn, [0, 0]);
  t.is(receiver.requests.length, 1);
  t.deepEqual(await countStates(ctx, id), { delivered: 1 });
});

test('a rate limit pause ends on shutdown, however long it would last', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1, rate_per_second: 1 });
  await recordTests(ctx, id, 30);
  const stopping = new AbortController();
  receiver.behave(() => {
    clock.pass(-hours(1));
    return { status: 204 };
  });
  const drain = drainEndpoint({ ...ctx, stopping: stopping.signal }, { endpointId: id });
  await until(async () => (await countStates(ctx, id))['delivered'] === 1);
  stopping.abort();
  await drain;
  clock.pass(hours(1));
  t.is(receiver.requests.length, 1);
  t.is(await leasesHeld(ctx, id), 0);
});

test('an interrupted attempt is due again at once, and a job is enqueued for it', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 1);
  receiver.behave('hang');
  const deadline = new AbortController();
  const drain = drainEndpoint({ ...ctx, signal: deadline.signal }, { endpointId: id });
  await until(() => receiver.waiting === 1);
  const before = (await enqueuedJobs(ctx, drainEndpointJob)).length;
  deadline.abort();
  await drain;
  t.is((await enqueuedJobs(ctx, drainEndpointJob)).length, before + 1);
  receiver.behave({ status: 204 });
  await drainEndpoint(ctx, { endpointId: id });
  t.deepEqual(await countStates(ctx, id), { delivered: 1 });
});

test('a drain ends after 20 seconds and enqueues a successor for the rest', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 3);
  receiver.behave(() => {
    clock.pass(seconds(21));
    return { status: 204 };
  });
  const before = (await enqueuedJobs(ctx, drainEndpointJob)).length;
  await drainEndpoint(ctx, { endpointId: id });
  t.is(receiver.requests.length, 1);
  t.is((await enqueuedJobs(ctx, drainEndpointJob)).length, before + 1);
});

test('a killed drain is retried after its lease has expired, and delivers what it had claimed', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 2);
  const run = jobAttempt();
  clock.stop();
  receiver.behave('hang');
  const killed = drainEndpoint({ ...ctx, attempt: run }, { endpointId: id });
  await until(() => receiver.waiting === 1);

  const again = await t.throwsAsync(drainEndpoint({ ...ctx, attempt: run }, { endpointId: id }), {
    instanceOf: Snooze,
  });
  t.true(again instanceof Snooze && again.milliseconds > 30_000 && again.milliseconds <= 35_000);
  t.is(receiver.requests.length, 1);
  clock.pass(seconds(36));
  receiver.behave({ status: 204 });
  await drainEndpoint({ ...ctx, attempt: run }, { endpointId: id });
  t.deepEqual(await countStates(ctx, id), { delivered: 2 });
  t.is(receiver.requests.length, 3, 'at least once: the first of them came twice');

  // The frozen process continues: its lease is lost, so it must not write.
  receiver.release(500);
  await killed;
  t.deepEqual(await countStates(ctx, id), { delivered: 2 });
  t.deepEqual(
    (await listDeliveries(ctx, { endpointId: id, limit: 5 })).rows.map(({ attemptCount }) => attemptCount),
    [1, 1],
  );
});

test('when the lease of a killed drain expires, what it had claimed is due', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 1);
  const run = jobAttempt();
  receiver.behave('hang');
  // However long its first transaction takes.
  let now = ctx.clock.now().getTime();
  const killed = drainEndpoint(
    { ...ctx, attempt: run, clock: { now: () => new Date((now += 100)) } },
    { endpointId: id },
  );
  await until(() => receiver.waiting === 1);

  const at = (time: number) => ({ ...ctx, attempt: run, clock: { now: () => new Date(time) } });
  const again = await t.throwsAsync(drainEndpoint(at(now), { endpointId: id }), { instanceOf: Snooze });
  receiver.behave({ status: 204 });
  await drainEndpoint(at(now + (again instanceof Snooze ? again.milliseconds : 0)), { endpointId: id });
  t.deepEqual(await countStates(ctx, id), { delivered: 1 });
  receiver.release();
  await killed;
});

test('rate_per_second spaces out the requests', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 8, rate_per_second: 10 });
  await recordTests(ctx, id, 25);
  // From before the first is sent, since a busy machine may receive the first one late.
  const startedAt = Date.now();
  await Promise.all([drainEndpoint(ctx, { endpointId: id }), drainEndpoint(ctx, { endpointId: id })]);
  const within = (milliseconds: number) => receiver.requests.filter(({ at }) => at - startedAt < milliseconds).length;
  t.is(receiver.requests.length, 25);
  // Two that began in time may arrive close to each other on a busy machine.
  t.true(within(950) <= 12 && within(1950) <= 22, `${within(950)} and ${within(1950)}`);
});

test('many deliveries cost few statements each, while the endpoint is quick', async (t) => {
  const { ctx, clock, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 16 });
  await recordTests(ctx, id, 1);
  const one = await countStatements(services, () => drainEndpoint(ctx, { endpointId: id }));
  t.true(one.statements.length <= 7, `${one.statements.length} for one delivery:\n${one.statements.join('\n')}`);

  await recordTests(ctx, id, 300);
  const many = await clock.standStill(() => countStatements(services, () => drainEndpoint(ctx, { endpointId: id })));
  t.true(many.statements.length <= 30, `${many.statements.length} for three hundred`);
  t.deepEqual(await countStates(ctx, id), { delivered: 301 });
});

/** The jobs of one endpoint: each is run once, and only if it was enqueued. */
class Wakes {
  readonly #ctx: Context;
  readonly #endpointId: string;
  #run = 0;

  constructor(ctx: Context, endpointId: string) {
    this.#ctx = ctx;
    this.#endpointId = endpointId;
  }

  async enqueued(): Promise<number> {
    const jobs = await enqueuedJobs(this.#ctx, drainEndpointJob);
    return jobs.filter(({ endpointId }) => endpointId === this.#endpointId).length;
  }

  async runNext(attempt?: Context['attempt']): Promise<boolean> {
    if (this.#run >= (await this.enqueued())) return false;
    this.#run += 1;
    await drainEndpoint({ ...this.#ctx, ...(attempt && { attempt }) }, { endpointId: this.#endpointId });
    return true;
  }

  async runAll(): Promise<void> {
    while (await this.runNext());
  }
}

test('events enqueue one job for an endpoint until it has started', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  const wakes = new Wakes(ctx, id);
  await recordTests(ctx, id, 5);
  t.is(await wakes.enqueued(), 1);
  await wakes.runAll();
  t.is(await wakes.enqueued(), 1);
  await recordTests(ctx, id);
  t.is(await wakes.enqueued(), 2);
  await wakes.runAll();
  t.deepEqual(await countStates(ctx, id), { delivered: 6 });
});

test('events enqueue a job for each lease of an endpoint that hangs, and then none until it responds', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 2 });
  const wakes = new Wakes(ctx, id);
  receiver.behave('hang');
  const drains: Promise<boolean>[] = [];
  for (const waiting of [1, 2]) {
    await recordTests(ctx, id);
    drains.push(wakes.runNext());
    await until(() => receiver.waiting === waiting);
  }
  await recordTests(ctx, id);
  t.true(await wakes.runNext());
  await recordTests(ctx, id, 20);
  t.is(await wakes.enqueued(), 3);
  clock.pass(seconds(61));
  await recordTests(ctx, id, 2);
  t.is(await wakes.enqueued(), 4, 'in case that the last one has failed, one more after a minute');

  receiver.behave({ status: 204 });
  receiver.release();
  await Promise.all(drains);
  await wakes.runAll();
  t.deepEqual(await countStates(ctx, id), { delivered: 25 });
});

test('a job that cannot attempt all at once wakes the next lease, although no event follows', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 2 });
  const wakes = new Wakes(ctx, id);
  receiver.behave('hang');
  await recordTests(ctx, id, 5);
  const drains: Promise<boolean>[] = [];
  for (const waiting of [1, 2]) {
    t.is(await wakes.enqueued(), waiting);
    drains.push(wakes.runNext());
    await until(() => receiver.waiting === waiting);
  }
  t.is(await wakes.enqueued(), 2);
  receiver.behave({ status: 204 });
  receiver.release();
  await Promise.all(drains);
  await wakes.runAll();
  t.deepEqual(await countStates(ctx, id), { delivered: 5 });
});

test('at whatever moment of a drain a delivery comes, it is delivered by the jobs that were enqueued', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  for (const concurrency of [1, 2]) {
    let step = 0;
    let reached = true;
    while (reached) {
      step += 1;
      const { id } = await buildEndpoint(ctx, receiver, { concurrency });
      const wakes = new Wakes(ctx, id);
      await recordTests(ctx, id);
      reached = await interleave(
        services,
        step,
        () => wakes.runNext(),
        async () => {
          await recordTests(ctx, id);
          await wakes.runNext();
        },
      );
      await wakes.runAll();
      t.deepEqual(await countStates(ctx, id), { delivered: reached ? 2 : 1 }, `before statement ${step}`);
    }
    t.true(step > 10, `${step} statements`);
  }
});

test('at whatever moment of a transaction that records an event a drain runs, its delivery is not missed', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  let step = 0;
  let reached = true;
  while (reached) {
    step += 1;
    const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
    const wakes = new Wakes(ctx, id);
    await recordTests(ctx, id);
    reached = await interleave(
      services,
      step,
      () => recordTests(ctx, id),
      () => wakes.runNext(),
    );
    await wakes.runAll();
    t.deepEqual(await countStates(ctx, id), { delivered: 2 }, `before statement ${step}`);
  }
  t.true(step > 3, `${step} statements`);
});

test('at whatever moment of a drain a retry becomes due, it is delivered by the jobs that were enqueued', async (t) => {
  const { ctx, services, clock } = t.context;
  const receiver = await receiverFor(t);
  for (let step = 1, reached = true; reached; step += 1) {
    const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
    const wakes = new Wakes(ctx, id);
    receiver.behave({ status: 500 });
    await recordTests(ctx, id);
    await wakes.runNext();
    receiver.behave({ status: 204 });
    await recordTests(ctx, id);
    const retry = () => {
      clock.pass(seconds(7));
      return wakes.runNext();
    };
    reached = await interleave(services, step, () => wakes.runNext(), retry);
    if (!reached) await retry();
    await wakes.runAll();
    t.deepEqual(await countStates(ctx, id), { delivered: 2 }, `before statement ${step}`);
  }
});

test('at whatever moment of what its owner does a drain begins or ends, both succeed', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const actions: ((id: string) => Promise<unknown>)[] = [
    (id) => sendTestEvent(ctx, { id }),
    (id) => updateEndpoint(ctx, { id, concurrency: 20 }),
    (id) => recoverDeliveries(ctx, { id, since: new Date(0) }),
  ];
  for (const [act, drainEnds] of actions.flatMap((act) => [[act, false] as const, [act, true] as const])) {
    for (let step = 1, reached = true; reached; step += 1) {
      const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
      const wakes = new Wakes(ctx, id);
      await recordTests(ctx, id);
      receiver.behave(drainEnds ? 'hang' : { status: 204 });
      const begun = drainEnds && wakes.runNext();
      if (begun) await until(() => receiver.waiting === 1);
      receiver.behave({ status: 204 });
      const drain = () => {
        receiver.release();
        return begun || wakes.runNext();
      };
      reached = await interleave(services, step, () => act(id), drain);
      if (!reached) await drain();
      await wakes.runAll();
      t.is((await countStates(ctx, id))['pending'], undefined, `before statement ${step}`);
    }
  }
});

test('wherever a drain is killed, it and the jobs that were enqueued deliver everything', async (t) => {
  const { ctx, services, clock } = t.context;
  const receiver = await receiverFor(t);
  for (const concurrency of [1, 2]) {
    let step = 0;
    let died = true;
    while (died) {
      step += 1;
      const { id } = await buildEndpoint(ctx, receiver, { concurrency });
      const wakes = new Wakes(ctx, id);
      await recordTests(ctx, id);
      const attempt = jobAttempt();
      died = await dieAt(services, step, () => wakes.runNext(attempt));
      await recordTests(ctx, id);

      // The job of the dead process is started again, before its lease has expired.
      for (let isOver = !died; !isOver; ) {
        const error = await drainEndpoint({ ...ctx, attempt }, { endpointId: id }).catch((error: unknown) => error);
        isOver = !(error instanceof Snooze);
        if (error instanceof Snooze) clock.pass(error.milliseconds);
      }
      await wakes.runAll();
      t.deepEqual(await countStates(ctx, id), { delivered: 2 }, `before statement ${step} of ${concurrency} at once`);
    }
    t.true(step > 10, `${step} statements`);
  }
});

test('wherever a transaction that records an event is killed, its delivery exists with a job, or neither', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  let step = 0;
  let died = true;
  while (died) {
    step += 1;
    const { id } = await buildEndpoint(ctx, receiver);
    const wakes = new Wakes(ctx, id);
    died = await dieAt(services, step, () => recordTests(ctx, id));
    t.is(await wakes.enqueued(), died ? 0 : 1);
    await wakes.runAll();
    t.deepEqual(await countStates(ctx, id), died ? {} : { delivered: 1 }, `before statement ${step}`);
  }
  t.true(step > 3, `${step} statements`);
});

test('after a drain has failed for good, the endpoint is drained later, or with the next event', async (t) => {
  const { ctx, services, clock } = t.context;
  const receiver = await receiverFor(t);
  for (const isWoken of [false, true]) {
    const { id } = await buildEndpoint(ctx, receiver);
    await recordTests(ctx, id);
    await services.execute(sql`update outbox set starts = 10 where tenant_id = ${ctx.tenant.id} and relays = 0`);
    t.true((await runJobs(services)).some((outcome) => outcome.startsWith('webhooks.drain-endpoint: cancel (crashes')));
    t.deepEqual(await countStates(ctx, id), { pending: 1 });

    clock.pass(isWoken ? minutes(2) : minutes(16));
    if (isWoken) await recordTests(ctx, id);
    await runJobs(services);
    t.deepEqual(await countStates(ctx, id), { delivered: isWoken ? 2 : 1 });
  }
});

test("an event after PostgreSQL's clock was ahead is delivered, although one of that time was to wake its endpoint", async (t) => {
  const { ctx, services, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  clock.pass(days(365));
  await recordTests(ctx, id);
  clock.pass(-days(365));
  await recordTests(ctx, id);
  await runJobs(services);
  t.deepEqual(await countStates(ctx, id), { pending: 1, delivered: 1 });
});

test('retries at different times each get a job, one at a time', async (t) => {
  const { ctx, services, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 4 });
  receiver.behave({ status: 500 });
  await recordTests(ctx, id, 3);
  await runJobs(services);
  receiver.behave({ status: 204 });
  for (let second = 0; second < 60; second += 1) {
    clock.pass(seconds(1));
    await runJobs(services);
  }
  t.deepEqual(await countStates(ctx, id), { delivered: 3 });
});

test('at whatever moment of a store file with another secret a rotation comes, all three secrets sign', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  for (let step = 1, reached = true; reached; step += 1) {
    const { id, url } = await buildEndpoint(ctx, receiver);
    const entry: EndpointEntry = { url, events: ['order.*', 'subscription.*'], secret: newSecret() };
    reached = await interleave(
      services,
      step,
      () => transact(ctx, (ctx) => saveEndpoint(ctx, entry)),
      () => rotateSecret(ctx, { id }),
    );
    await sendTestEvent(ctx, { id });
    await runJobs(services);
    t.is(
      String(receiver.requests.at(-1)?.headers['webhook-signature']).split(' ').length,
      reached ? 3 : 2,
      `step ${step}`,
    );
  }
});

test('at whatever moment of a change to an endpoint an event is recorded, or the reverse, both succeed', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const actions: ((id: string) => Promise<unknown>)[] = [
    (id) => removeEndpoint(ctx, { id }),
    (id) => disableEndpoint(ctx, { id }),
    (id) => rotateSecret(ctx, { id }),
  ];
  for (const [act, recordsFirst] of actions.flatMap((act) => [[act, false] as const, [act, true] as const])) {
    for (let step = 1, reached = true; reached; step += 1) {
      const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
      const change = () => act(id);
      const record = () => recordTests(ctx, id);
      const [first, second] = recordsFirst ? [record, change] : [change, record];
      await t.notThrowsAsync(async () => {
        reached = await interleave(services, step, first, second);
      });
    }
  }
});
