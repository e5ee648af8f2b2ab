import anyTest, { type TestFn } from 'ava';
import { pruneCarts, pruneCodes, pruneEvents, pruneMails, pruneNotifications, pruneOutbox } from '#jobs/retention.ts';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { read, readOne, runOnPlatformTables, transact } from '#src/database/transact.ts';
import { prune } from '#src/domain/backoffice/index.ts';
import { requestCode } from '#src/domain/confirmations/index.ts';
import type { Context } from '#src/domain/context.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { claimDue } from '#src/outbox/claim-jobs.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordFailed, recordFinished } from '#src/outbox/job-state.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildCart, buildSavedCart } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildMail, newAddress } from '#test/support/factories/mail.ts';
import { buildEndpoint, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { runJobs } from '#test/support/run-jobs.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test.serial('jobs are deleted a week after they completed, and open and failed ones are not', async (t) => {
  const { ctx, services, clock } = t.context;
  await transact(ctx, async (ctx) => {
    for (const endpointId of ['completed', 'failed', 'open'])
      enqueue(ctx, drainEndpoint, { endpointId, causeId: 'test' });
  });
  const { claims } = await claimDue(services.execute, [drainEndpoint.name], clock.now());
  const keys = async () =>
    (
      await runOnPlatformTables<{ key: string }>(
        ctx,
        sql`
    select key from outbox where tenant_id = ${ctx.tenant.id} order by key`,
      )
    ).map(({ key }) => key);
  const [completed, failed] = await Promise.all(
    ['completed', 'failed'].map(
      async (key) =>
        (
          await runOnPlatformTables<{ id: string }>(
            ctx,
            sql`
    select id from outbox where tenant_id = ${ctx.tenant.id} and key = ${`${key}:test`}`,
          )
        )[0]?.id ?? '',
    ),
  );
  t.is(claims.length, 3);
  await recordFinished(services.execute, completed ?? '', clock.now());
  await recordFailed(services.execute, failed ?? '', clock.now(), 'It was no use.');

  clock.pass(days(7) - 60_000);
  await prune(services.context(), pruneOutbox);
  t.deepEqual(await keys(), ['completed:test', 'failed:test', 'open:test']);
  clock.pass(120_000);
  for (const _ of [1, 2]) await prune(services.context(), pruneOutbox);
  t.deepEqual(await keys(), ['failed:test', 'open:test']);
});

test.serial('an event is retained while a delivery of it may be repeated', async (t) => {
  const { ctx, services, clock } = t.context;
  const endpoint = await buildEndpoint(ctx, await receiverFor(t), { events: ['webhook.test'] });
  const [delivered, pending] = [...(await recordTests(ctx, endpoint.id)), ...(await recordTests(ctx, endpoint.id))];
  await runJobs(services);
  await transact(ctx, async ({ tx, tenant }) =>
    tx.execute(sql`delete from webhook_deliveries where tenant_id = ${tenant.id} and event_id = ${pending}`),
  );
  const ids = async () =>
    (await read<{ id: string }>(ctx, sql`select id from events where tenant_id = ${ctx.tenant.id} order by id`)).map(
      ({ id }) => id,
    );

  clock.pass(days(30));
  await prune(services.context(), pruneOutbox);
  t.deepEqual(await ids(), [delivered, pending].toSorted());
  clock.pass(days(2));
  for (const _ of [1, 2]) await prune(services.context(), pruneOutbox);
  t.deepEqual(await ids(), [delivered]);
});

test.serial('emails are deleted after 90 days, except those that are still to be sent', async (t) => {
  const { ctx, services, clock } = t.context;
  const build = (state: string) =>
    transact(ctx, async (ctx) => {
      const id = await buildMail(ctx, {
        kind: 'one_time_password',
        to: newAddress(),
        data: { code_for: 'a test' } as never,
        subjectId: 'sub_1',
      });
      await ctx.tx.execute(
        sql`update mails set state = ${state}, created_at = ${fromNow(clock, -days(89))}
          where tenant_id = ${ctx.tenant.id} and id = ${id}`,
      );
      return id;
    });
  await build('sent');
  const queued = await build('queued');
  const ids = async () =>
    (await read<{ id: string }>(ctx, sql`select id from mails where tenant_id = ${ctx.tenant.id}`)).map(({ id }) => id);
  await prune(services.context(), pruneMails);
  t.is((await ids()).length, 2);
  clock.pass(days(2));
  for (const _ of [1, 2]) await prune(services.context(), pruneMails);
  t.deepEqual(await ids(), [queued]);
});

test.serial('payment events are retained for 40 days, and longer while they are pending', async (t) => {
  const { ctx, services, clock } = t.context;
  const { id: tenantId } = ctx.tenant;
  for (const state of ['applied', 'pending']) {
    await transact(ctx, async ({ tx }) =>
      tx.execute(sql`
      insert into payment_events (tenant_id, id, type, object_id, source, state, occurred_at, received_at)
      values (${tenantId}, ${`evt_${state}`}, 'a.test', 'x', 'webhook', ${state}, ${clock.now()}, ${clock.now()})`),
    );
  }
  const states = async () =>
    (
      await read<{ state: string }>(
        ctx,
        sql`
    select state from payment_events where tenant_id = ${tenantId} order by state`,
      )
    ).map(({ state }) => state);

  clock.pass(days(40) - 60_000);
  await prune(services.context(), pruneEvents);
  t.deepEqual(await states(), ['applied', 'pending']);
  clock.pass(120_000);
  await t.throwsAsync(prune({ ...services.context(), signal: AbortSignal.abort() }, pruneEvents), {
    instanceOf: Snooze,
  });
  t.deepEqual(await states(), ['applied', 'pending'], 'a process that shuts down removes nothing more');
  for (const _ of [1, 2]) await prune(services.context(), pruneEvents);
  t.deepEqual(await states(), ['pending']);
});

test.serial('notifications of the shipping provider are deleted after 30 days', async (t) => {
  const { ctx, services, clock } = t.context;
  await transact(ctx, async ({ tx, tenant }) =>
    tx.execute(sql`
    insert into shipping_notifications (tenant_id, id, kind, subject, fingerprint, received_at)
    values (${tenant.id}, 'hint', 'track', 'x', 'x', ${clock.now()})`),
  );
  const count = async () =>
    (await read(ctx, sql`select 1 from shipping_notifications where tenant_id = ${ctx.tenant.id}`)).length;

  clock.pass(days(30) - 60_000);
  await prune(services.context(), pruneNotifications);
  t.is(await count(), 1);
  clock.pass(120_000);
  for (const _ of [1, 2]) await prune(services.context(), pruneNotifications);
  t.is(await count(), 0);
});

const counts = (ctx: Context) =>
  readOne<{ carts: number; lines: number; saved: number }>(
    ctx,
    sql`
  select (select count(*) from carts where tenant_id = ${ctx.tenant.id})::int as carts,
    (select count(*) from cart_lines where tenant_id = ${ctx.tenant.id})::int as lines,
    (select count(*) from saved_carts where tenant_id = ${ctx.tenant.id})::int as saved`,
  );

test.serial('pruneCarts removes carts with their lines and emails a month after they expired', async (t) => {
  const { ctx, services, clock } = t.context;
  const { variant } = await buildProduct(ctx);
  await buildCart(ctx, [variant.id]);
  await buildSavedCart(ctx);
  clock.pass(days(59));
  await buildCart(ctx, [variant.id]);
  await prune(services.context(), pruneCarts);
  t.deepEqual(await counts(ctx), { carts: 2, lines: 2, saved: 1 });

  clock.pass(days(2));
  await prune(services.context(), pruneCarts);
  await prune(services.context(), pruneCarts);
  t.deepEqual(await counts(ctx), { carts: 1, lines: 1, saved: 0 });
});

test.serial('pruneCodes removes one-time passwords after seven days, and a repeat removes nothing', async (t) => {
  const { clock, ctx, services } = t.context;
  const request = async () => {
    const id = newId('otp');
    await transact(ctx, (ctx) => requestCode(ctx, { id, purpose: 'providers.payments', action: 'try it' }));
    return id;
  };
  await request();
  clock.pass(days(7));
  const recent = await request();
  for (let count = 0; count < 2; count += 1) {
    await prune(services.context(), pruneCodes);
    const rows = await read<{ id: string }>(
      ctx,
      sql`select id from one_time_passwords where tenant_id = ${ctx.tenant.id}`,
    );
    t.deepEqual(
      rows.map(({ id }) => id),
      [recent],
    );
  }
});
