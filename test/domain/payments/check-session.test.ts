import anyTest, { type TestFn } from 'ava';
import { checkSession as job, sweepStoreEvents as storeJob } from '#jobs/payments.ts';
import { read, readOne, transact } from '#src/database/transact.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import {
  checkSession,
  readDrift,
  reportStoreDrift,
  savePaymentAccount,
  sweepEvents,
  sweepSessions,
  sweepStoreEvents,
} from '#src/domain/payments/index.ts';
import { everyPage } from '#src/domain/payments/provider-calls.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { type BuiltProduct, buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildPaymentAccount, holdsOf, orderOf, sessionOf } from '#test/support/factories/payments.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
const payments = fakePaymentGateway();
useContext(test, { ports: { payments } });

test.beforeEach(() => {
  payments.events.length = 0;
  payments.misfortunes.fetchSession = [];
});

async function buy(ctx: Context): Promise<{ orderId: string; sessionId: string; product: BuiltProduct }> {
  const product = await buildProduct(ctx, { variants: [{ stock: 5, ships: false }] });
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: product.slug, quantity: 1 }],
  });
  return { orderId, sessionId: payments.sessionOf(orderId).sessionId, product };
}

test.serial(
  'checkSession fetches the session of a pending order at the configured times and once after its expiry',
  async (t) => {
    const { ctx, services, clock } = t.context;
    await buildPaymentAccount(ctx, { session_lifetime: '90m' });
    const { orderId } = await buy(ctx);
    const checks = async () => (await enqueuedJobs(ctx, job)).length;
    const dues: number[] = [];
    for (const wait of [2, 3, 10, 45, 30]) {
      dues.push(await checks());
      clock.pass(minutes(wait) + 1100);
      await runJobs(services);
    }
    t.deepEqual(dues, [0, 1, 2, 3, 4]);
    t.is(await checks(), 5);
    t.like(await orderOf(ctx, orderId), { status: 'expired' });
    t.is(payments.sessionOf(orderId).state, 'expired');
  },
);

test.serial('checkSession finds a payment without a webhook, and a repeat changes nothing', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const { orderId, sessionId } = await buy(ctx);
  payments.change(sessionId, { state: 'settled' });
  await checkSession(ctx, { orderId, number: 1 });
  await checkSession(ctx, { orderId, number: 1 });
  t.like(await orderOf(ctx, orderId), { status: 'paid' });
  t.deepEqual(await recorded(ctx, orderId), ['order.paid']);
});

test.serial('checkSession releases no holds before the provider responded', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildPaymentAccount(ctx);
  const { orderId, sessionId, product } = await buy(ctx);
  payments.misfortunes.fetchSession = Array.from({ length: 3 }, () => ({ failure: 'away' }));
  clock.pass(hours(2));
  await runJobs(services);
  t.deepEqual(await holdsOf(ctx, orderId), ['stock: held']);
  payments.change(sessionId, { state: 'settled' });
  for (let minute = 0; minute < 4; minute += 1) {
    clock.pass(minutes(1) + 1000);
    await runJobs(services);
  }
  t.like(await orderOf(ctx, orderId), { status: 'paid' });
  t.like(await stockOf(ctx, product.variant.id), { stock: 4, held: 0 });
});

test.serial('checkSession releases the holds of an account that no longer opens after a day', async (t) => {
  const { ctx, clock } = t.context;
  await buildPaymentAccount(ctx);
  const { orderId } = await buy(ctx);
  payments.misfortunes.fetchSession = [{ failure: 'denied' }, { failure: 'denied' }];
  clock.pass(hours(2));
  await checkSession(ctx, { orderId, number: 1 });
  t.like(await orderOf(ctx, orderId), { status: 'pending' });
  clock.pass(days(1));
  await checkSession(ctx, { orderId, number: 2 });
  t.like(await orderOf(ctx, orderId), { status: 'expired' });
  t.like(await sessionOf(ctx, orderId), { state: 'expired', checkAt: null });
});

test.serial('checkSession keeps the holds of a slow payment while the account does not open', async (t) => {
  const { ctx, clock } = t.context;
  await buildPaymentAccount(ctx);
  const { orderId, sessionId, product } = await buy(ctx);
  payments.change(sessionId, { state: 'processing' });
  await checkSession(ctx, { orderId, number: 1 });
  for (const [number, after, status] of [
    [2, days(5), 'pending'],
    [3, days(9), 'pending'],
    [4, days(2), 'expired'],
  ] as const) {
    clock.pass(after);
    payments.misfortunes.fetchSession = [{ failure: 'denied' }];
    await checkSession(ctx, { orderId, number });
    t.like(await orderOf(ctx, orderId), { status }, `number ${number}`);
    t.like(await stockOf(ctx, product.variant.id), { held: status === 'pending' ? 1 : 0 });
  }
});

test.serial('sweepSessions enqueues one check of a session that is due, and again if that is lost', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildPaymentAccount(ctx);
  const { orderId } = await buy(ctx);
  const paid = await buy(ctx);
  payments.change(paid.sessionId, { state: 'settled' });
  await checkSession(ctx, { orderId: paid.orderId, number: 1 });
  for (const number of [1, 2]) {
    clock.pass(minutes(10) + 1);
    await sweepSessions(services.context());
    await sweepSessions(services.context());
    t.deepEqual(await enqueuedJobs(ctx, job), [{ orderId, number }]);
    if (number === 1) await services.execute(sql`delete from outbox where tenant_id = ${ctx.tenant.id}`);
  }
  payments.change(payments.sessionOf(orderId).sessionId, { state: 'settled' });
  await runJobs(services);
  t.like(await orderOf(ctx, orderId), { status: 'paid' });
});

test.serial('sweepStoreEvents stores undelivered events once, and reports the silence', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildPaymentAccount(ctx);
  const { orderId, sessionId } = await buy(ctx);
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
  await buy(ctx);
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

test.serial('sweepEvents spreads the sweeps of many stores over the period', async (t) => {
  const { services } = t.context;
  for (let count = 0; count < 40; count += 1) {
    const ctx = { ...services.context(), tenant: await buildTenant(services) };
    await buildPaymentAccount(ctx);
    await buy(ctx);
  }
  await sweepEvents(services.context(), { period: 200 });
  const rows = await services.execute<{ fifth: number; jobs: number }>(sql`
    select floor(extract(epoch from due_at - ${t.context.clock.now()}) * 5000
        / ${services.config.settings.sweepIntervalMs})::int as fifth, count(*)::int as jobs
    from outbox where job = ${storeJob.name} and key = '200' group by 1 order by 1`);
  t.true(rows.length >= 4, JSON.stringify(rows));
  t.true(rows.every(({ fifth }) => fifth >= 0 && fifth < 5));
});

test.serial('reportStoreDrift finds orders that are paid on one side only', async (t) => {
  const { ctx, clock } = t.context;
  await buildPaymentAccount(ctx);
  payments.sessions.clear();
  const unpaidHere = await buy(ctx);
  const unpaidThere = await buy(ctx);
  const agreed = await buy(ctx);
  for (const { orderId, sessionId } of [unpaidThere, agreed]) {
    payments.change(sessionId, { state: 'settled' });
    await checkSession(ctx, { orderId, number: 1 });
  }
  payments.change(unpaidHere.sessionId, { state: 'settled' });
  payments.change(unpaidThere.sessionId, { state: 'open' });
  clock.pass(hours(3));

  t.deepEqual(await reportStoreDrift(ctx), {
    unpaidHere: [unpaidHere.orderId],
    unpaidThere: [unpaidThere.orderId],
    unmadeRenewals: [],
  });
  t.like(await orderOf(ctx, unpaidHere.orderId), { status: 'paid' });
  t.like(await orderOf(ctx, unpaidThere.orderId), { status: 'paid', attentionCode: 'payment_missing' });
  t.like(await orderOf(ctx, agreed.orderId), { attentionCode: null });
  t.deepEqual((await reportStoreDrift(ctx)).unpaidHere, []);

  const report = await readDrift(t.context.services.context(), 100);
  t.deepEqual(
    report.orders
      .filter(({ tenantId }) => tenantId === ctx.tenant.id)
      .map(({ orderId, kind, isOpen }) => ({ orderId, kind, isOpen })),
    [
      { orderId: unpaidThere.orderId, kind: 'unpaid_there', isOpen: true },
      { orderId: unpaidHere.orderId, kind: 'unpaid_here', isOpen: false },
    ],
  );
  t.true(report.stores.some(({ tenantId, comparedAt }) => tenantId === ctx.tenant.id && comparedAt !== null));
});

test.serial(
  'reportStoreDrift continues where it ended, and fetches a session that was created late before it flags the order',
  async (t) => {
    const { ctx, clock } = t.context;
    await buildPaymentAccount(ctx);
    const ranges: { from: Date; to: Date }[] = [];
    const { listSessions } = payments;
    t.teardown(() => {
      payments.listSessions = listSessions;
    });
    payments.listSessions = (account, range, signal) => {
      ranges.push(range);
      return listSessions(account, range, signal).then(() => ({ sessions: [], next: null }));
    };
    const { orderId, sessionId } = await buy(ctx);
    payments.change(sessionId, { state: 'settled' });
    await checkSession(ctx, { orderId, number: 1 });
    clock.pass(hours(3));
    t.deepEqual((await reportStoreDrift(ctx)).unpaidThere, []);
    t.is((await orderOf(ctx, orderId)).attentionCode, null);

    const [first] = ranges.splice(0);
    clock.pass(days(9));
    await reportStoreDrift(ctx);
    t.is(ranges[0]?.from.getTime(), first?.to.getTime());
    t.true(Math.abs((ranges.at(-1)?.to.getTime() ?? 0) - (clock.now().getTime() - hours(1))) < minutes(1));
    for (const [index, { to }] of ranges.entries())
      if (ranges[index + 1]) t.is(ranges[index + 1]?.from.getTime(), to.getTime(), 'nothing is left out');
  },
);

test.serial('reportStoreDrift reports payments of unknown orders, and ignores renewals of foreign items', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildPaymentAccount(ctx);
  payments.sessions.clear();
  const { orderId, sessionId } = await buy(ctx);
  payments.change(sessionId, { state: 'settled' });
  await checkSession(ctx, { orderId, number: 1 });
  payments.sessions.set('cs_lost', { ...payments.sessionOf(orderId), sessionId: 'cs_lost', orderId: 'ord_lost' });
  const invoice = {
    subscriptionId: 'sub_x',
    tenantId: ctx.tenant.id,
    environment: 'test',
    cause: 'renewal' as const,
    isPaid: true,
    currency: 'USD',
    taxCents: 0,
    totalCents: 100,
    paymentId: null,
    lines: [{ itemId: 'si_theirs', quantity: 1, amountCents: 100, discountCents: 0 }],
  };
  payments.subscriptions.set('sub_x', {
    subscriptionId: 'sub_x',
    state: 'active',
    orderId,
    tenantId: ctx.tenant.id,
    environment: 'test',
    customerId: 'cus_1',
    email: null,
    currency: 'USD',
    cancelAtPeriodEnd: false,
    canceledAt: null,
    items: [],
  });
  payments.invoices.set('in_theirs', { ...invoice, invoiceId: 'in_theirs', orderId });
  payments.invoices.set('in_lost', { ...invoice, invoiceId: 'in_lost', orderId: 'ord_lost' });
  t.teardown(() => payments.invoices.clear());
  clock.pass(hours(3));

  t.deepEqual(await reportStoreDrift(ctx), {
    unpaidHere: ['ord_lost'],
    unpaidThere: [],
    unmadeRenewals: ['in_lost'],
  });
  const found = (await readDrift(services.context(), 100)).orders.filter(({ tenantId }) => tenantId === ctx.tenant.id);
  t.deepEqual(found.map(({ orderNumber, kind, isOpen }) => `${orderNumber} ${kind} ${isOpen}`).toSorted(), [
    'in_lost no_order true',
    'ord_lost no_order true',
  ]);
});

test('everyPage yields all pages, each with the cursor of the one before', async (t) => {
  const requests: object[] = [];
  const pages = [
    { rows: [1, 2], next: 'a' },
    { rows: [3], next: 'b' },
    { rows: [], next: null },
  ];
  const seen: number[] = [];
  for await (const { rows } of everyPage(async (from) => pages[requests.push(from) - 1] ?? t.fail()))
    seen.push(...rows);
  t.deepEqual(seen, [1, 2, 3]);
  t.deepEqual(requests, [{}, { next: 'a' }, { next: 'b' }]);
});

test('everyPage throws when a list never ends', async (t) => {
  await t.throwsAsync(
    async () => {
      for await (const page of everyPage(async () => ({ next: 'again' }))) t.is(page.next, 'again');
    },
    { instanceOf: RangeError },
  );
});
