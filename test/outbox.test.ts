import anyTest, { type TestFn } from 'ava';
import { fanOutEvent } from '#jobs/webhooks.ts';
import { read, transact } from '#src/database/transact.ts';
import { createEndpoint, disableEndpoint } from '#src/domain/webhooks/index.ts';
import { sql } from '#src/lib/sql.ts';
import { claimDue, claimStale } from '#src/outbox/claim-jobs.ts';
import { enqueue, recordEvent } from '#src/outbox/enqueue.ts';
import { recordFinished, startJob } from '#src/outbox/job-state.ts';
import { type TestContext, useContext } from './support/context.ts';
import { enqueuedJobs, recorded } from './support/enqueued-jobs.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('enqueue inserts a job if and only if its transaction commits', async (t) => {
  const { ctx } = t.context;
  await transact(ctx, async (ctx) => enqueue(ctx, fanOutEvent, { eventId: 'kept' }));
  await t.throwsAsync(
    transact(ctx, async (ctx) => {
      enqueue(ctx, fanOutEvent, { eventId: 'broken' });
      throw new Error('changed our mind');
    }),
  );
  t.deepEqual(await enqueuedJobs(ctx, fanOutEvent), [{ eventId: 'kept' }]);
});

test('enqueue inserts a job once for the same key', async (t) => {
  const { ctx } = t.context;
  const promise = () => transact(ctx, async (ctx) => enqueue(ctx, fanOutEvent, { eventId: 'one' }));
  await Promise.all([promise(), promise(), promise()]);
  t.is((await enqueuedJobs(ctx, fanOutEvent)).length, 1);
});

test('enqueue throws outside a transaction', (t) => {
  t.throws(() => enqueue(t.context.ctx, fanOutEvent, { eventId: 'loose' }), { message: /outside a transaction/ });
});

test('recordEvent enqueues a fan-out job if an endpoint is subscribed, even a disabled one', async (t) => {
  const { ctx } = t.context;
  const record = () =>
    transact(ctx, async (ctx) =>
      (['order.paid', 'order.shipped', 'label.purchased'] as const).map((type) => recordEvent(ctx, type, 'ord_1')),
    );
  await record();
  t.deepEqual(await recorded(ctx, 'ord_1'), ['order.paid', 'order.shipped', 'label.purchased']);
  t.deepEqual(await enqueuedJobs(ctx, fanOutEvent), []);

  const { id } = await createEndpoint(ctx, { url: 'http://127.0.0.1:9/hooks', events: ['order.paid', 'label.*'] }).then(
    ({ endpoint }) => endpoint,
  );
  const [paid, , bought] = await record();
  t.deepEqual(await enqueuedJobs(ctx, fanOutEvent), [{ eventId: paid }, { eventId: bought }]);
  await disableEndpoint(ctx, { id });
  await record();
  t.is((await enqueuedJobs(ctx, fanOutEvent)).length, 4);
});

test('the relay is woken for a new job, and not for an event without a subscriber', async (t) => {
  const { ctx } = t.context;
  let woken = 0;
  const withWake = { ...ctx, database: { ...ctx.database, wakeRelay: () => (woken += 1) } };
  await transact(withWake, async (ctx) => recordEvent(ctx, 'order.paid', 'ord_3'));
  t.is(woken, 0);
  for (const _ of [1, 2]) await transact(withWake, async (ctx) => enqueue(ctx, fanOutEvent, { eventId: 'told' }));
  t.is(woken, 1);
});

test.serial('a relayed job is claimed again only while it is open, and later each time', async (t) => {
  const { ctx, services, clock } = t.context;
  const { execute } = services;
  const jobs = [fanOutEvent.name];
  await transact(ctx, async (ctx) => enqueue(ctx, fanOutEvent, { eventId: 'forgotten' }));
  const mine = (claims: { id: string; tenantId: string | null }[]) =>
    claims.filter(({ tenantId }) => tenantId === ctx.tenant.id);

  const [claim] = mine((await claimDue(execute, jobs, clock.now())).claims);
  t.truthy(claim);
  t.deepEqual(mine((await claimDue(execute, jobs, clock.now())).claims), []);
  t.deepEqual(mine(await claimStale(execute, jobs, clock.now(), 1000)), []);

  clock.pass(31_000);
  t.is(mine(await claimStale(execute, jobs, clock.now(), 1000)).length, 1);
  clock.pass(31_000);
  t.is(mine(await claimStale(execute, jobs, clock.now(), 1000)).length, 0);
  clock.pass(31_000);
  t.is(mine(await claimStale(execute, jobs, clock.now(), 1000)).length, 1);

  await recordFinished(execute, claim?.id ?? '', clock.now());
  clock.pass(3_600_000);
  t.is(mine(await claimStale(execute, jobs, clock.now(), 1000)).length, 0);
  t.is(await startJob(execute, claim?.id ?? ''), undefined);
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
