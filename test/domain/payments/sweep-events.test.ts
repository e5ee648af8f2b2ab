import anyTest, { type TestFn } from 'ava';
import { reportStoreDrift as driftJob, sweepStoreEvents as storeJob } from '#jobs/payments.ts';
import { read, readOne, transact } from '#src/database/transact.ts';
import { reportDrift, savePaymentAccount, sweepEvents, sweepStoreEvents } from '#src/domain/payments/index.ts';
import { closeStore, reopenStore } from '#src/domain/tenants/index.ts';
import { days, minutes } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildPaymentAccount, orderOf } from '#test/support/factories/payments.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { buy } from './support.ts';

const test = anyTest as TestFn<TestContext>;
const payments = fakePaymentGateway();
useContext(test, { ports: { payments } });

test.beforeEach(() => {
  payments.events.length = 0;
});

test.serial('sweepStoreEvents stores undelivered events once, and reports the silence', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildPaymentAccount(ctx);
  const { orderId, sessionId } = await buy(ctx, payments);
  payments.change(sessionId, { state: 'settled' });
  const silence = () =>
    readOne<{ silentSince: Date | null; sweptTo: Date }>(
      ctx,
      sql`
    select silent_since as "silentSince", events_swept_to as "sweptTo" from payment_accounts
    where tenant_id = ${ctx.tenant.id}`,
    );

  for (let sweep = 0; sweep < 3; sweep += 1) {
    t.is((await silence())?.silentSince ?? null, null);
    payments.events.push({
      eventId: `evt_swept_${sweep}`,
      type: 'checkout.session.completed',
      subject: 'session',
      objectId: sessionId,
      metadata: null,
      createdAt: clock.now(),
    });
    clock.pass(minutes(5));
    await sweepStoreEvents(ctx);
    await sweepStoreEvents(ctx);
  }
  await runJobs(services);
  t.like(await orderOf(ctx, orderId), { status: 'paid' });
  t.truthy((await silence())?.silentSince);
  t.true(Math.abs((await silence())!.sweptTo.getTime() - clock.now().getTime()) < minutes(1));
  const events = await read<{ source: string }>(
    ctx,
    sql`select source from payment_events where tenant_id = ${ctx.tenant.id}`,
  );
  t.deepEqual(
    events.map(({ source }) => source),
    ['sweep', 'sweep', 'sweep'],
  );
});

test.serial('sweepStoreEvents begins 30 days ago after a long break', async (t) => {
  const { ctx, clock } = t.context;
  await buildPaymentAccount(ctx);
  clock.pass(days(40));
  const from: number[] = [];
  const { listEvents } = payments;
  payments.listEvents = (account, range, signal) => {
    from.push(clock.now().getTime() - range.from.getTime());
    return listEvents(account, range, signal);
  };
  await sweepStoreEvents(ctx);
  payments.listEvents = listEvents;
  t.true(Math.abs(Math.max(...from) - days(30)) < minutes(1));
});

test.serial(
  'sweepStoreEvents lists an hour with more events than one run can list in several runs, and goes on',
  async (t) => {
    const { ctx, clock } = t.context;
    await buildPaymentAccount(ctx);
    const account = () =>
      readOne<{ sweptTo: Date | null; after: string | null }>(
        ctx,
        sql`
    select events_swept_to as "sweptTo", events_listed_after as after from payment_accounts
    where tenant_id = ${ctx.tenant.id}`,
      );
    const { listEvents } = payments;
    const listed: number[] = [];
    let failure: ProviderError | undefined;
    payments.listEvents = async (_account, { next }) => {
      const page = Number(next ?? 0) + 1;
      if (failure) throw failure;
      listed.push(page);
      return { events: [], next: page < 450 ? String(page) : null };
    };

    clock.pass(minutes(30));
    await sweepStoreEvents(ctx);
    t.is((await account())?.after, '200');
    failure = new ProviderError('stripe', 'away', 'It did not respond.');
    await sweepStoreEvents(ctx);
    t.is((await account())?.after, '200');
    failure = undefined;
    for (const _ of [1, 2]) await sweepStoreEvents(ctx);
    t.deepEqual(
      listed.slice(0, 450),
      Array.from({ length: 450 }, (_, index) => index + 1),
      'no page is listed twice, and none is left out',
    );
    t.true(((await account())?.sweptTo?.getTime() ?? 0) > clock.now().getTime() - minutes(1));

    clock.pass(minutes(30));
    await sweepStoreEvents(ctx);
    failure = new ProviderError('stripe', 'missing', 'No such event.');
    await sweepStoreEvents(ctx);
    t.is((await account())?.after, null, 'an event that the provider has forgotten is not gone on after');
    payments.listEvents = listEvents;
  },
);

test.serial('sweepEvents enqueues one sweep in each period for a store that awaits a payment', async (t) => {
  const { ctx, services } = t.context;
  await buildPaymentAccount(ctx);
  await buy(ctx, payments);
  await sweepEvents(services.context(), { period: 7 });
  await sweepEvents(services.context(), { period: 7 });
  t.deepEqual(await enqueuedJobs(ctx, storeJob), [{ period: 7 }]);
  await transact(ctx, (ctx) => savePaymentAccount(ctx, { provider: 'stripe', mode: 'connect', automatic_tax: false }));
  await sweepEvents(services.context(), { period: 8 });
  t.is((await enqueuedJobs(ctx, storeJob)).length, 1);
});

test.serial('sweepEvents enqueues a sweep of an idle store in one of twelve periods', async (t) => {
  const { ctx, services } = t.context;
  await buildPaymentAccount(ctx);
  for (let period = 100; period < 124; period += 1) await sweepEvents(services.context(), { period });
  const [first, second, ...others] = await enqueuedJobs(ctx, storeJob);
  t.is((second?.period ?? 0) - (first?.period ?? 0), 12);
  t.is(others.length, 0);
});

test.serial(
  'a closed store is swept and compared until nothing can be paid in it, and again once it is reopened',
  async (t) => {
    const { ctx, services, clock } = t.context;
    await buildPaymentAccount(ctx);
    let period = 300;
    const isSwept = async () => {
      const before = (await enqueuedJobs(ctx, storeJob)).length + (await enqueuedJobs(ctx, driftJob)).length;
      for (const end = period + 12; period < end; period += 1) await sweepEvents(services.context(), { period });
      await reportDrift(services.context(), { period });
      return (await enqueuedJobs(ctx, storeJob)).length + (await enqueuedJobs(ctx, driftJob)).length - before;
    };
    await transact(ctx, closeStore);
    t.true((await isSwept()) >= 2);
    clock.pass(days(14));
    t.true((await isSwept()) >= 2, 'a slow payment may arrive');
    clock.pass(days(2));
    t.is(await isSwept(), 0);
    const { id } = await buildSubscription(ctx);
    t.true((await isSwept()) >= 2, 'a subscription is renewed');
    await transact(ctx, ({ tx }) => tx.execute(sql`update subscriptions set status = 'canceled' where id = ${id}`));
    t.is(await isSwept(), 0);
    await buy(ctx, payments);
    t.true((await isSwept()) >= 2, 'a session is open');
    await transact(ctx, ({ tx }) => tx.execute(sql`update payment_sessions set check_at = null`));
    t.is(await isSwept(), 0);
    await transact(ctx, reopenStore);
    t.true((await isSwept()) >= 2);
  },
);

test.serial('sweepEvents spreads the sweeps of many stores over the period', async (t) => {
  const { services } = t.context;
  for (let count = 0; count < 40; count += 1) {
    const ctx = { ...services.context(), tenant: await buildTenant(services) };
    await buildPaymentAccount(ctx);
    await buy(ctx, payments);
  }
  await sweepEvents(services.context(), { period: 200 });
  const rows = await services.execute<{ fifth: number; jobs: number }>(sql`
    select floor(extract(epoch from due_at - ${t.context.clock.now()}) * 5000
        / ${services.config.settings.sweepIntervalMs})::int as fifth, count(*)::int as jobs
    from outbox where job = ${storeJob.name} and key = '200' group by 1 order by 1`);
  t.true(rows.length >= 4, JSON.stringify(rows));
  t.true(rows.every(({ fifth }) => fifth >= 0 && fifth < 5));
});
