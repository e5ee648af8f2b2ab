import anyTest, { type TestFn } from 'ava';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { read, runOnPlatformTables, transact } from '#src/database/transact.ts';
import { createEndpoint, disableEndpoint, type EndpointInput } from '#src/domain/webhooks/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { minutes } from '#src/lib/duration.ts';
import { idPattern } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { claimDue, claimStale } from '#src/outbox/claim-jobs.ts';
import { enqueue, recordEvent } from '#src/outbox/enqueue.ts';
import type { EventType } from '#src/outbox/events.ts';
import { recordFinished, startJob } from '#src/outbox/job-state.ts';
import { type TestContext, useContext } from './support/context.ts';
import { enqueuedJobs, recorded } from './support/enqueued-jobs.ts';
import { startRound } from './support/job-attempts.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('enqueue inserts a job if and only if its transaction commits', async (t) => {
  const { ctx } = t.context;
  await transact(ctx, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId: 'kept', causeId: 'test' }));
  await t.throwsAsync(
    transact(ctx, async (ctx) => {
      enqueue(ctx, drainEndpoint, { endpointId: 'broken', causeId: 'test' });
      throw new Error('changed our mind');
    }),
  );
  t.deepEqual(await enqueuedJobs(ctx, drainEndpoint), [{ endpointId: 'kept', causeId: 'test' }]);
});

test('enqueue inserts a job once for the same key', async (t) => {
  const { ctx } = t.context;
  const enqueueIt = () =>
    transact(ctx, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId: 'one', causeId: 'test' }));
  await Promise.all([enqueueIt(), enqueueIt(), enqueueIt()]);
  t.is((await enqueuedJobs(ctx, drainEndpoint)).length, 1);
});

test('enqueue throws outside a transaction', (t) => {
  t.throws(() => enqueue(t.context.ctx, drainEndpoint, { endpointId: 'loose', causeId: 'test' }), {
    message: /outside a transaction/,
  });
});

test('recordEvent creates a delivery for each subscribed endpoint, and one job to wake it', async (t) => {
  const { ctx } = t.context;
  const record = () =>
    transact(ctx, async (ctx) =>
      (['order.paid', 'order.shipped', 'label.purchased'] as const).map((type) => recordEvent(ctx, type, 'ord_1')),
    );
  const deliveries = (endpointId: string) =>
    read<{ id: string; eventId: string; state: string }>(
      ctx,
      sql`
      select id, event_id as "eventId", state from webhook_deliveries
      where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId} order by id`,
    );
  await record();
  t.deepEqual(await recorded(ctx, 'ord_1'), ['order.paid', 'order.shipped', 'label.purchased']);
  t.deepEqual(await enqueuedJobs(ctx, drainEndpoint), []);

  const build = async (path: string, events: EndpointInput['events']) =>
    (await createEndpoint(ctx, { url: `http://127.0.0.1:9/${path}`, events })).endpoint.id;
  const [paidOnly, most] = [await build('paid', ['order.paid']), await build('most', ['order.paid', 'label.*'])];
  const [paid = '', , bought = ''] = await record();
  t.deepEqual(
    (await deliveries(most)).map(({ eventId, state }) => [eventId, state]),
    [
      [paid, 'pending'],
      [bought, 'pending'],
    ],
  );
  t.deepEqual(
    (await deliveries(paidOnly)).map(({ eventId }) => eventId),
    [paid],
  );
  for (const { id } of await deliveries(most)) t.regex(id, new RegExp(idPattern('whd')));
  const jobs = await enqueuedJobs(ctx, drainEndpoint);
  t.deepEqual(
    jobs.map(({ endpointId }) => endpointId),
    [paidOnly, most],
  );
  const [row] = await runOnPlatformTables<{ id: string; key: string }>(
    ctx,
    sql`select id, key from outbox where tenant_id = ${ctx.tenant.id} and job = ${drainEndpoint.name} order by id`,
  );
  t.regex(row?.id ?? '', new RegExp(idPattern('job')));
  t.is(row?.key, drainEndpoint.key({ endpointId: paidOnly, causeId: paid }));

  for (const id of [paidOnly, most]) await disableEndpoint(ctx, { id });
  const [again] = await record();
  t.deepEqual((await deliveries(paidOnly)).at(-1), {
    id: (await deliveries(paidOnly)).at(-1)?.id ?? '',
    eventId: again,
    state: 'discarded',
  });
  t.is((await enqueuedJobs(ctx, drainEndpoint)).length, 2);
});

test('recordEvent wakes each endpoint with a delivery, a paused one when its pause ends, and no other', async (t) => {
  const { ctx } = t.context;
  const build = async (path: string, events: EndpointInput['events']) =>
    (await createEndpoint(ctx, { url: `http://127.0.0.1:9/${path}`, events })).endpoint.id;
  const [open, other, paused, disabled, pausedAndDisabled] = [
    await build('open', ['order.paid']),
    await build('other', ['order.shipped']),
    await build('paused', ['order.paid']),
    await build('disabled', ['order.paid']),
    await build('paused-and-disabled', ['order.paid']),
  ];
  const pausedUntil = fromNow(ctx.clock, minutes(10));
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
      update webhook_endpoints set breaker_open_until = ${pausedUntil}
      where tenant_id = ${ctx.tenant.id} and id = any(${[paused, pausedAndDisabled]})`),
  );
  for (const id of [disabled, pausedAndDisabled]) await disableEndpoint(ctx, { id });
  const recordAt = async (type: EventType) => {
    const now = ctx.clock.now();
    await transact({ ...ctx, clock: { now: () => now } }, async (ctx) => recordEvent(ctx, type, 'ord_1'));
    return now;
  };
  const paidAt = await recordAt('order.paid');
  await recordAt('order.paid');
  const shippedAt = await recordAt('order.shipped');
  const wakes = await runOnPlatformTables<{ endpointId: string; dueAt: Date }>(
    ctx,
    sql`
    select payload ->> 'endpointId' as "endpointId", due_at as "dueAt" from outbox
    where tenant_id = ${ctx.tenant.id} and job = ${drainEndpoint.name} order by due_at`,
  );
  t.deepEqual(wakes, [
    { endpointId: open, dueAt: paidAt },
    { endpointId: other, dueAt: shippedAt },
    { endpointId: paused, dueAt: pausedUntil },
  ]);
});

test('recordEvent throws outside a transaction', (t) => {
  t.throws(() => recordEvent(t.context.ctx, 'order.paid', 'ord_1'), { message: /outside a transaction/ });
});

test('the relay is woken for a new job, and not for an event without a subscriber', async (t) => {
  const { ctx } = t.context;
  let woken = 0;
  const withWake = { ...ctx, database: { ...ctx.database, wakeRelay: () => (woken += 1) } };
  await transact(withWake, async (ctx) => recordEvent(ctx, 'order.paid', 'ord_3'));
  t.is(woken, 0);
  for (const _ of [1, 2])
    await transact(withWake, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId: 'told', causeId: 'test' }));
  t.is(woken, 1);
});

test.serial('a relayed job is claimed again after 30 seconds, and then every minute while it is open', async (t) => {
  const { ctx, services, clock } = t.context;
  clock.stop();
  const { execute } = services;
  const jobs = [drainEndpoint.name];
  await transact(ctx, async (ctx) => enqueue(ctx, drainEndpoint, { endpointId: 'forgotten', causeId: 'test' }));
  const mine = (claims: { id: string; tenantId: string | null }[]) =>
    claims.filter(({ tenantId }) => tenantId === ctx.tenant.id);

  const [claim] = mine((await claimDue(execute, jobs, clock.now())).claims);
  t.truthy(claim);
  t.deepEqual(mine((await claimDue(execute, jobs, clock.now())).claims), []);
  t.deepEqual(mine(await claimStale(execute, jobs, clock.now(), 1000)), []);

  clock.pass(29_000);
  t.is(mine(await claimStale(execute, jobs, clock.now(), 1000)).length, 0);
  clock.pass(2_000);
  t.is(mine(await claimStale(execute, jobs, clock.now(), 1000)).length, 1);
  for (const _ of [1, 2, 3, 4, 5]) {
    clock.pass(59_000);
    t.is(mine(await claimStale(execute, jobs, clock.now(), 1000)).length, 0);
    clock.pass(2_000);
    t.is(mine(await claimStale(execute, jobs, clock.now(), 1000)).length, 1);
  }

  await recordFinished(execute, await startRound(services, claim?.id), clock.now());
  clock.pass(3_600_000);
  t.is(mine(await claimStale(execute, jobs, clock.now(), 1000)).length, 0);
  t.is(await startJob(execute, claim?.id ?? '', clock.now()), undefined);
});

test('a read of one statement sees its own tenant alone and leaves the connection clean', async (t) => {
  const { ctx, services } = t.context;
  await transact(ctx, async (ctx) => recordEvent(ctx, 'order.paid', 'ord_2'));
  const other = { ...ctx, tenant: { ...ctx.tenant, id: 'ten_other' } };
  const statement = sql`select type from events where object_id = ${'ord_2'}`;
  t.is((await read(ctx, statement)).length, 1);
  t.is((await read(other, statement)).length, 0);
  t.is((await services.execute(statement)).length, 0);
});
