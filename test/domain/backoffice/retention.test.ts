import anyTest, { type TestFn } from 'ava';

import { pruneOutbox } from '#src/domain/backoffice/index.ts';
import { read, runOnPlatformTables, transact } from '#src/domain/database.ts';
import { pruneMails } from '#src/domain/mail/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { claimDue } from '#src/outbox/claims.ts';
import { fanOutEvent } from '#jobs/webhooks.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { failPromise, finishPromise } from '#src/outbox/runs.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildMail, newAddress } from '#test/support/factories/mail.ts';
import { buildEndpoint, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { workPromises } from '#test/support/work-promises.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test.serial('promises are forgotten a week after they were kept, and what is open or was given up is not', async (t) => {
  const { ctx, services, clock } = t.context;
  await transact(ctx, async (ctx) => {
    for (const eventId of ['kept', 'failed', 'open']) enqueue(ctx, fanOutEvent, { eventId });
  });
  const claims = await claimDue(services.run, [fanOutEvent.name], clock.now(), 10);
  const keys = async () => (await runOnPlatformTables<{ key: string }>(ctx, sql`
    select key from outbox where tenant_id = ${ctx.tenant.id} order by key`)).map(({ key }) => key);
  const [kept, failed] = await Promise.all(['kept', 'failed'].map(async (key) => (await runOnPlatformTables<{ id: string }>(ctx, sql`
    select id from outbox where tenant_id = ${ctx.tenant.id} and key = ${key}`))[0]?.id ?? ''));
  t.is(claims.length, 3);
  await finishPromise(services.run, kept ?? '', clock.now());
  await failPromise(services.run, failed ?? '', clock.now(), 'It was no use.');

  clock.pass(days(7) - 60_000);
  await pruneOutbox(services.context());
  t.deepEqual(await keys(), ['failed', 'kept', 'open']);
  clock.pass(120_000);
  for (const _ of [1, 2]) await pruneOutbox(services.context());
  t.deepEqual(await keys(), ['failed', 'open']);
});

test.serial('an event is kept while anybody may be told of it again', async (t) => {
  const { ctx, services, clock } = t.context;
  const endpoint = await buildEndpoint(ctx, await receiverFor(t), { events: ['webhook.test'] });
  const [told, untold] = [...(await recordTests(ctx, endpoint.id)), ...(await recordTests(ctx, endpoint.id))];
  await workPromises(services);
  await transact(ctx, async ({ tx, tenant }) => tx.run(sql`delete from webhook_deliveries where tenant_id = ${tenant.id} and event_id = ${untold}`));
  const ids = async () => (await read<{ id: string }>(ctx, sql`select id from events where tenant_id = ${ctx.tenant.id} order by id`)).map(({ id }) => id);

  clock.pass(days(30));
  await pruneOutbox(services.context());
  t.deepEqual(await ids(), [told, untold].toSorted());
  clock.pass(days(2));
  for (const _ of [1, 2]) await pruneOutbox(services.context());
  t.deepEqual(await ids(), [told]);
});

test.serial('mails are forgotten after 90 days, but for those that are still to be sent', async (t) => {
  const { ctx, services, clock } = t.context;
  const build = (state: string) => transact(ctx, async (ctx) => {
    const id = await buildMail(ctx, { kind: 'one_time_password', to: newAddress(), data: { code_for: 'a test' } as never, subjectId: 'sub_1' });
    await ctx.tx.run(sql`update mails set state = ${state}, created_at = ${fromNow(clock, -days(89))} where tenant_id = ${ctx.tenant.id} and id = ${id}`);
    return id;
  });
  await build('sent');
  const queued = await build('queued');
  const ids = async () => (await read<{ id: string }>(ctx, sql`select id from mails where tenant_id = ${ctx.tenant.id}`)).map(({ id }) => id);
  await pruneMails(services.context());
  t.is((await ids()).length, 2);
  clock.pass(days(2));
  for (const _ of [1, 2]) await pruneMails(services.context());
  t.deepEqual(await ids(), [queued]);
});
