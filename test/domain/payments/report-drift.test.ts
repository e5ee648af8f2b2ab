import anyTest, { type TestFn } from 'ava';
import { checkSession, readDrift, reportStoreDrift } from '#src/domain/payments/index.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildPaymentAccount, orderOf } from '#test/support/factories/payments.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { buy } from './support.ts';

const test = anyTest as TestFn<TestContext>;
const payments = fakePaymentGateway();
useContext(test, { ports: { payments } });

test.serial('reportStoreDrift finds orders that are paid on one side only', async (t) => {
  const { ctx, clock } = t.context;
  await buildPaymentAccount(ctx);
  payments.sessions.clear();
  const unpaidHere = await buy(ctx, payments);
  const unpaidThere = await buy(ctx, payments);
  const agreed = await buy(ctx, payments);
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
    const { orderId, sessionId } = await buy(ctx, payments);
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
  const { orderId, sessionId } = await buy(ctx, payments);
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
