import anyTest, { type TestFn } from 'ava';

import { sendMail as sendMailJob } from '#jobs/emails.ts';
import { drainEndpoint as drainEndpointJob } from '#jobs/webhooks.ts';
import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import {
  disableEndpoint,
  drainEndpoint,
  enableEndpoint,
  listDeliveries,
  readEndpoint,
  recoverDeliveries,
  sendTestEvent,
  webhooksNeedingAttention,
} from '#src/domain/webhooks/index.ts';
import { days, hours, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildEndpoint, countStates, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { until } from '#test/support/until.ts';

const test = (anyTest as TestFn<TestContext>).serial;
// Every wait is long, so that the breaker's own time is what is seen.
useContext(anyTest as TestFn<TestContext>, {
  environment: { WEBHOOK_RETRY_SCHEDULE: '0s,6h,6h,6h,6h,6h,6h,6h,6h,6h,6h,6h' },
});

const warnings = async (ctx: Context) =>
  (
    await read<{ data: { disabled: string | null } }>(
      ctx,
      sql`select data from mails where tenant_id = ${ctx.tenant.id} order by id`,
    )
  ).map(({ data }) => data.disabled);

test('the last success is recorded to the minute, and exactly after a failure', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  const lastSuccess = async () => {
    await recordTests(ctx, id, 1);
    await drainEndpoint(ctx, { endpointId: id });
    return (await readEndpoint(ctx, id))?.lastSuccessAt?.toISOString();
  };
  await clock.standStill(async () => {
    const first = await lastSuccess();
    t.is(first, clock.now().toISOString());
    clock.pass(seconds(59));
    t.is(await lastSuccess(), first);
    clock.pass(seconds(1));
    const second = await lastSuccess();
    t.is(second, clock.now().toISOString());
    receiver.behave({ status: 500 });
    clock.pass(seconds(1));
    t.is(await lastSuccess(), second);
    receiver.behave({ status: 200 });
    clock.pass(seconds(1));
    t.is(await lastSuccess(), clock.now().toISOString());
  });
});

test('five failures in a row open the breaker: nothing is attempted and no attempt is used up', async (t) => {
  const { ctx } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500 });
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 8);

  await drainEndpoint(ctx, { endpointId: id });
  await drainEndpoint(ctx, { endpointId: id });

  t.is(receiver.requests.length, 5);
  const attempts = (await listDeliveries(ctx, { endpointId: id, limit: 10 })).rows.map(
    ({ attemptCount }) => attemptCount,
  );
  t.deepEqual(attempts.toSorted(), [0, 0, 0, 1, 1, 1, 1, 1]);
});

test('an open breaker allows one probe after its time, which doubles up to 15 minutes while probes fail', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500 });
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 2 });
  await recordTests(ctx, id, 20);
  await drainEndpoint(ctx, { endpointId: id });
  let requests = receiver.requests.length;

  for (const openSeconds of [30, 60, 120, 240, 480, 900, 900]) {
    clock.pass(seconds(openSeconds - 15));
    await drainEndpoint(ctx, { endpointId: id });
    t.is(receiver.requests.length, requests, `not before ${openSeconds} s`);
    clock.pass(seconds(15.5));
    await Promise.all([drainEndpoint(ctx, { endpointId: id }), drainEndpoint(ctx, { endpointId: id })]);
    t.is(receiver.requests.length, (requests += 1), `one probe after ${openSeconds} s`);
  }
  receiver.behave({ status: 204 });
  clock.pass(seconds(901));
  await drainEndpoint(ctx, { endpointId: id });
  const { delivered = 0, pending = 0 } = await countStates(ctx, id);
  t.is(delivered + pending, 20);
  t.true(delivered >= 20 - requests, 'all that was not tried yet goes on at once');
});

test('opening the breaker enqueues a job for its end, and recovery enqueues a job for every lease', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave('reset');
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  const jobsDueInSeconds = async () => {
    const { rows } = await ctx.database.pool.query<{ due_at: Date }>(
      `select due_at from outbox where tenant_id = $1 and key like $2 order by due_at`,
      [ctx.tenant.id, `${id}:%`],
    );
    return rows.map((row) => Math.floor((row.due_at.getTime() - clock.now().getTime()) / 1000));
  };

  await clock.standStill(async () => {
    await recordTests(ctx, id, 6);
    await drainEndpoint(ctx, { endpointId: id });
    t.deepEqual(await jobsDueInSeconds(), [0, 30]);
    await recordTests(ctx, id, 2);
    t.deepEqual(await jobsDueInSeconds(), [0, 30], 'events of a paused endpoint need no job of their own');
    receiver.behave({ status: 200 });
    clock.pass(seconds(31));
    await drainEndpoint(ctx, { endpointId: id });
    t.deepEqual((await jobsDueInSeconds()).slice(0, 3), [-31, -1, 0]);
  });
  t.true(((await countStates(ctx, id))['delivered'] ?? 0) > 0);
});

test('a probe that was not sent allows the next one at once', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500 });
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  await recordTests(ctx, id, 5);
  await drainEndpoint(ctx, { endpointId: id });
  // The first that is due is about something that is gone.
  await transact(ctx, async (ctx) => recordEvent(ctx, 'order.paid', 'ord_gone'));
  await recordTests(ctx, id, 1);
  receiver.behave({ status: 204 });
  clock.pass(seconds(31));

  const wakeUps = async () => (await enqueuedJobs(ctx, drainEndpointJob)).length;
  const before = await wakeUps();
  await drainEndpoint({ ...ctx, stopping: AbortSignal.abort() }, { endpointId: id });
  t.is(receiver.requests.length, 5);
  t.is(await wakeUps(), before + 1, 'who stopped before the probe leaves it to another');
  await drainEndpoint(ctx, { endpointId: id });
  t.deepEqual(await countStates(ctx, id), { discarded: 1, delivered: 1, pending: 5 });
});

test('a delivery created while its endpoint was being disabled is delivered once it is enabled', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  await disableEndpoint(ctx, { id });
  await recordTests(ctx, id, 1);
  // As by a transaction that had read the endpoint before it was switched off.
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update webhook_deliveries set state = 'pending', next_attempt_at = ${ctx.clock.now()}, finished_at = null
    where tenant_id = ${ctx.tenant.id} and endpoint_id = ${id}`),
  );
  await drainEndpoint(ctx, { endpointId: id });
  t.is(receiver.requests.length, 0);
  await enableEndpoint(ctx, { id });
  await runJobs(services);
  t.deepEqual(await countStates(ctx, id), { delivered: 1 });
});

test('a 410 disables the endpoint and emails the owner, and pending deliveries can be recovered', async (t) => {
  const { ctx, clock, services } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 410 });
  const { id } = await buildEndpoint(ctx, receiver, { concurrency: 1 });
  const since = clock.now();
  await recordTests(ctx, id, 3);
  await drainEndpoint(ctx, { endpointId: id });

  t.is(receiver.requests.length, 1);
  t.like(await readEndpoint(ctx, id), { disabledReason: 'gone' });
  t.deepEqual(await countStates(ctx, id), { failed: 1, discarded: 2 });
  t.deepEqual(await warnings(ctx), ['gone']);
  t.is((await enqueuedJobs(ctx, sendMailJob)).length, 1);
  const refused = { instanceOf: DomainError, message: /disabled/ };
  await t.throwsAsync(recoverDeliveries(ctx, { id, since }), refused);
  await t.throwsAsync(sendTestEvent(ctx, { id }), refused);

  const { endpoints, deliveries } = await webhooksNeedingAttention(services.context(), 100);
  t.like(
    endpoints.find((endpoint) => endpoint.id === id),
    { tenantId: ctx.tenant.id, disabledReason: 'gone', waiting: 0 },
  );
  t.like(
    deliveries.find(({ endpointId }) => endpointId === id),
    { tenantId: ctx.tenant.id, type: 'webhook.test', lastStatus: 410, attemptCount: 1 },
  );

  receiver.behave({ status: 200 });
  t.like(await enableEndpoint(ctx, { id }), { status: 'enabled', disabled_reason: null });
  t.deepEqual(await recoverDeliveries(ctx, { id, since }), { recovered: 3 });
  await drainEndpoint(ctx, { endpointId: id });
  t.deepEqual(await countStates(ctx, id), { delivered: 3 });
});

test('a failing endpoint warns its owner after one and three days and is disabled after five', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 503 });
  const { id } = await buildEndpoint(ctx, receiver);
  const seen: [hours: number, mails: number, disabled: boolean][] = [];
  for (let passed = 0; passed <= 126; passed += 6) {
    await recordTests(ctx, id, 1);
    await drainEndpoint(ctx, { endpointId: id });
    const mails = await warnings(ctx);
    const disabled = (await readEndpoint(ctx, id))?.disabledAt != null;
    if (mails.length !== (seen.at(-1)?.[1] ?? 0)) seen.push([passed, mails.length, disabled]);
    clock.pass(hours(6) + 1000);
  }
  t.deepEqual(seen, [
    [24, 1, false],
    [72, 2, false],
    [120, 3, true],
  ]);
  t.deepEqual(await warnings(ctx), [null, null, 'failing']);
  t.is((await countStates(ctx, id))['pending'], undefined);
});

test('an endpoint with few deliveries is not disabled before its tenth failure', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 503 });
  const { id } = await buildEndpoint(ctx, receiver);
  const isOn = async () => (await readEndpoint(ctx, id))?.disabledAt == null;
  await recordTests(ctx, id, 1);
  // One delivery, tried every sixth day: time enough has passed long before it failed often enough.
  for (let failures = 1; failures < 10; failures += 1) {
    await drainEndpoint(ctx, { endpointId: id });
    t.deepEqual([receiver.requests.length, await isOn()], [failures, true]);
    clock.pass(days(6));
  }
  await drainEndpoint(ctx, { endpointId: id });
  t.deepEqual([receiver.requests.length, await isOn()], [10, false]);
});

test('one success resets all failures', async (t) => {
  const { ctx, clock } = t.context;
  const receiver = await receiverFor(t);
  const { id } = await buildEndpoint(ctx, receiver);
  for (let day = 0; day < 12; day += 1) {
    receiver.behave({ status: day % 4 === 3 ? 200 : 500 });
    await recordTests(ctx, id, 1);
    await drainEndpoint(ctx, { endpointId: id });
    clock.pass(days(1));
  }
  t.is((await readEndpoint(ctx, id))?.disabledAt ?? null, null);
});

test('a hanging endpoint with many pending deliveries does not delay others', async (t) => {
  const { ctx } = t.context;
  const [slow, quick] = [await receiverFor(t), await receiverFor(t)];
  slow.behave('hang');
  const hanging = await buildEndpoint(ctx, slow);
  const healthy = await buildEndpoint(ctx, quick);
  await recordTests(ctx, hanging.id, 60);
  await recordTests(ctx, healthy.id, 60);

  const stuck = Promise.all([1, 2, 3].map(() => drainEndpoint(ctx, { endpointId: hanging.id })));
  await until(() => slow.waiting === hanging.concurrency);
  await drainEndpoint(ctx, { endpointId: healthy.id });

  t.deepEqual(await countStates(ctx, healthy.id), { delivered: 60 });
  t.is(slow.waiting, hanging.concurrency);
  slow.behave({ status: 500 });
  slow.release(500);
  await stuck;
  await disableEndpoint(ctx, { id: hanging.id });
});
