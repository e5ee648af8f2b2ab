import anyTest, { type TestFn } from 'ava';

import { drainEndpoint as drainEndpointJob } from '#jobs/webhooks.ts';
import type { Context } from '#src/domain/context.ts';
import { drainEndpoint } from '#src/domain/webhooks/index.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { dieAt } from '#test/support/die-at.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildEndpoint, countStates, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { interleave } from '#test/support/interleave.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { until } from '#test/support/until.ts';

const test = (anyTest as TestFn<TestContext>).serial;
useContext(anyTest as TestFn<TestContext>);

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
  t.true(step > 4, `${step} statements`);
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
      const attempt = { outboxId: newId('job'), failedRuns: 0, isLastRun: false, isCompleted: false, manual: false };
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
