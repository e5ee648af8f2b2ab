import anyTest, { type TestFn } from 'ava';
import { checkSession as job } from '#jobs/payments.ts';
import { createCheckoutSession } from '#src/domain/checkout/index.ts';
import { checkSession, removeDiscount, sweepSessions } from '#src/domain/payments/index.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildPaymentAccount, holdsOf, orderOf, sessionOf } from '#test/support/factories/payments.ts';
import { buildPromo } from '#test/support/factories/promotions.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { interleave } from '#test/support/interleave.ts';
import { jobAttempt } from '#test/support/job-attempts.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buy } from './support.ts';

const test = anyTest as TestFn<TestContext>;
const payments = fakePaymentGateway();
useContext(test, { ports: { payments } });

test.beforeEach(() => {
  payments.misfortunes.fetchSession = [];
});

test.serial(
  'checkSession fetches the session of a pending order at the configured times and once after its expiry',
  async (t) => {
    const { ctx, services, clock } = t.context;
    await buildPaymentAccount(ctx, { session_lifetime: '90m' });
    const { orderId } = await buy(ctx, payments);
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
  const { orderId, sessionId } = await buy(ctx, payments);
  payments.change(sessionId, { state: 'settled' });
  await checkSession(ctx, { orderId, number: 1 });
  await checkSession(ctx, { orderId, number: 1 });
  t.like(await orderOf(ctx, orderId), { status: 'paid' });
  t.deepEqual(await recorded(ctx, orderId), ['order.paid']);
});

test.serial('checkSession releases no holds before the provider responded', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildPaymentAccount(ctx);
  const { orderId, sessionId, product } = await buy(ctx, payments);
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
  const { orderId } = await buy(ctx, payments);
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
  const { orderId, sessionId, product } = await buy(ctx, payments);
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

test.serial(
  'checkSession releases the holds of a payment that takes over two weeks, which pays all the same',
  async (t) => {
    const { ctx, clock } = t.context;
    await buildPaymentAccount(ctx);
    const { orderId, sessionId, product } = await buy(ctx, payments);
    payments.change(sessionId, { state: 'processing' });
    for (const [number, after, held] of [
      [1, minutes(5), 1],
      [2, days(13), 1],
      [3, days(1), 0],
      [4, hours(1), 0],
    ] as const) {
      clock.pass(after);
      await checkSession(ctx, { orderId, number });
      t.like(await orderOf(ctx, orderId), { status: 'pending', paymentStatus: 'processing' });
      t.like(await stockOf(ctx, product.variant.id), { stock: 5, held }, `number ${number}`);
    }
    payments.change(sessionId, { state: 'settled' });
    await checkSession(ctx, { orderId, number: 5 });
    t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: null });
    t.like(await stockOf(ctx, product.variant.id), { stock: 4, held: 0 });
  },
);

test.serial('sweepSessions enqueues one check of a session that is due, and again if that is lost', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildPaymentAccount(ctx);
  const { orderId } = await buy(ctx, payments);
  const paid = await buy(ctx, payments);
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

test.serial('sweepSessions twice at once enqueues one check of each session that is due', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildPaymentAccount(ctx);
  const sweep = () => sweepSessions(services.context());
  const orders = [await buy(ctx, payments), await buy(ctx, payments)].map(({ orderId }) => orderId);
  // Which of the sweeps finds which session is a matter of their speed.
  const inOrder = (one: { orderId: string }, other: { orderId: string }) =>
    orders.indexOf(one.orderId) - orders.indexOf(other.orderId);
  for (let step = 1, number = 1, isReached = true; isReached; step += 1, number += 1) {
    clock.pass(minutes(10) + 1);
    isReached = await interleave(services, step, sweep, sweep);
    const due = orders.map((orderId) => ({ orderId, number }));
    const enqueued = await enqueuedJobs(ctx, job);
    const latest = enqueued.slice(-orders.length).toSorted(inOrder);
    t.deepEqual(latest, due, `before statement ${step}`);
    t.is(enqueued.length, orders.length * number, `before statement ${step}`);
  }
});

test.serial('removeDiscount fails, and at last waits, only while the provider may yet respond', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const { code } = await buildPromo(ctx);
  const { slug } = await buildProduct(ctx);
  const { order_id: orderId } = await createCheckoutSession(ctx, {
    items: [{ product_slug: slug, quantity: 1 }],
    promo_code: code,
  });
  const lastAttempt = jobAttempt({ failedAttempts: 4, isLastAttempt: true });
  for (const failure of ['away', 'busy'] as const) {
    payments.misfortunes.removeDiscount = [{ failure }, { failure }];
    await t.throwsAsync(removeDiscount(ctx, { orderId }), { instanceOf: ProviderError }, failure);
    await t.throwsAsync(removeDiscount({ ...ctx, attempt: lastAttempt }, { orderId }), { instanceOf: Snooze }, failure);
  }
  for (const failure of ['denied', 'missing', 'refused'] as const) {
    payments.misfortunes.removeDiscount = [{ failure }];
    await t.notThrowsAsync(removeDiscount(ctx, { orderId }), failure);
  }
});
