import anyTest, { type TestFn } from 'ava';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { transact } from '#src/database/transact.ts';
import { readOperations } from '#src/domain/backoffice/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { claimDue } from '#src/outbox/claim-jobs.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordFailed, recordFinished } from '#src/outbox/job-state.ts';
import { request } from '#test/domain/shipping/support.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import { startRound } from '#test/support/job-attempts.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test, { ports: { shipping: fakeShippingGateway() } });

test.serial('readOperations of an idle store shows every queue with nothing waiting', async (t) => {
  const operations = await readOperations(t.context.services.context());
  t.deepEqual(
    operations.queues.map(({ queue }) => queue),
    ['payments', 'labels', 'webhooks', 'emails', 'reminders', 'analytics', 'chores', 'bulk'],
  );
  t.true(
    operations.queues.every(
      ({ due, later, failed, oldestDueAt }) => due + later + failed === 0 && oldestDueAt === null,
    ),
  );
  t.deepEqual(operations.attention, []);
  t.is(operations.oldestUnrelayedAt, null);
  t.deepEqual(operations.unknownLabels, { count: 0, oldestAt: null });
  t.deepEqual(operations.deliveries, { count: 0, oldestAt: null });
});

test.serial('readOperations shows what is due in a queue, since when, what is scheduled and what failed', async (t) => {
  const { ctx, services, clock } = t.context;
  const { execute } = services;
  const due = clock.now();
  await transact(ctx, async (ctx) => {
    for (const endpointId of ['relayed', 'completed', 'failed'])
      enqueue(ctx, drainEndpoint, { endpointId, causeId: 'test' }, { dueAt: due });
    enqueue(ctx, drainEndpoint, { endpointId: 'later', causeId: 'test' }, { dueAt: fromNow(ctx.clock, minutes(10)) });
  });
  const [, completed, failed] = (await claimDue(execute, [drainEndpoint.name], clock.now())).claims;
  await recordFinished(execute, await startRound(services, completed?.id), clock.now());
  await recordFailed(execute, await startRound(services, failed?.id), clock.now(), 'It was no use.');
  clock.pass(seconds(5));
  const unrelayed = clock.now();
  await transact(ctx, async (ctx) =>
    enqueue(ctx, drainEndpoint, { endpointId: 'unrelayed', causeId: 'test' }, { dueAt: unrelayed }),
  );
  clock.pass(seconds(5));

  const operations = await readOperations(services.context());
  const webhooks = operations.queues.find(({ queue }) => queue === 'webhooks');
  t.like(webhooks, { due: 2, oldestDueAt: due, later: 1, failed: 1 });
  t.deepEqual(
    webhooks?.jobs.map(({ job }) => job),
    [drainEndpoint.name],
  );
  t.deepEqual(operations.oldestUnrelayedAt, unrelayed);
});

test.serial("readOperations counts attentions by kind and reason, and a label's only once", async (t) => {
  const { ctx, services } = t.context;
  await buildPaymentAccount(ctx);
  await buildShippingAccount(ctx);
  await buildPaidOrder(ctx, { attentionCodes: ['amount_mismatch'] });
  const { labelId } = await request(ctx, { attentionCodes: ['no_rates'] });
  await transact(ctx, async ({ tx, tenant, clock }) => {
    await tx.execute(
      sql`update labels set state = 'needs_attention', reason_code = 'no_rates' where tenant_id = ${tenant.id}
        and id = ${labelId}`,
    );
    await tx.execute(sql`update payment_accounts set silent_since = ${clock.now()} where tenant_id = ${tenant.id}`);
    await tx.execute(sql`update shipping_accounts set paused_at = ${clock.now()} where tenant_id = ${tenant.id}`);
  });
  const { attention } = await readOperations(services.context());
  t.deepEqual(
    attention.map(({ kind, code, count }) => `${kind} ${code} ${count}`),
    ['payments inbound_webhook_silent 1', 'order amount_mismatch 1', 'label no_rates 1', 'shipping provider_auth 1'],
  );
});

test.serial('readOperations counts a purchase with an unknown outcome once its call has ended', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildShippingAccount(ctx);
  const { labelId } = await request(ctx);
  const since = clock.now();
  await transact(ctx, async ({ tx, tenant }) =>
    tx.execute(sql`
    update labels set state = 'buying', rate_id = 'rate', buy_token = 'token', buying_since = ${since},
      lease_token = 'lease', lease_expires_at = ${fromNow(clock, seconds(75))}
    where tenant_id = ${tenant.id} and id = ${labelId}`),
  );
  t.is((await readOperations(services.context())).unknownLabels.count, 0);
  clock.pass(seconds(76));
  t.deepEqual((await readOperations(services.context())).unknownLabels, { count: 1, oldestAt: since });
});

test.serial("the reconcile lag is the time from the provider's event until it was applied", async (t) => {
  const { ctx, services, clock } = t.context;
  const now = clock.now();
  await transact(ctx, async ({ tx, tenant }) => {
    for (const lag of [1, 2, 60]) {
      await tx.execute(sql`
        insert into payment_events (tenant_id, id, type, object_id, source, state, occurred_at, received_at, settled_at)
        values (${tenant.id}, ${newId('evt')}, 'checkout.session.completed', 'cs_1', 'webhook', 'applied',
          ${new Date(now.getTime() - seconds(lag))}, ${now}, ${now})`);
    }
  });
  t.like((await readOperations(services.context())).reconcileLag, { count: 3, medianSeconds: 2, maxSeconds: 60 });
  clock.pass(minutes(11));
  t.is((await readOperations(services.context())).reconcileLag.count, 0);
});
