import anyTest, { type ExecutionContext, type TestFn } from 'ava';

import { read, readOne, transact, writeRows } from '#src/database/transact.ts';
import {
  type CheckoutInput,
  createCheckoutSession,
  readCheckoutStatus,
  repairSession,
} from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { lockOrder } from '#src/domain/orders/index.ts';
import { checkSession } from '#src/domain/payments/index.ts';
import { notSent } from '#src/domain/ports/payment-gateway.ts';
import { holdPromo, quoteGiftCard, quotePromo } from '#src/domain/promotions/index.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countLockWaits } from '#test/support/count-lock-waits.ts';
import { dieAt, Killed } from '#test/support/die-at.ts';
import { recorded } from '#test/support/enqueued-jobs.ts';
import { type BuiltProduct, buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPaymentAccount, holdsOf, orderOf, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { balanceOf, buildGiftCard, buildPromo, usesOf } from '#test/support/factories/promotions.ts';
import { fakePaymentGateway, type Misfortune } from '#test/support/fakes/payment-gateway.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { until } from '#test/support/until.ts';

const test = anyTest as TestFn<TestContext>;
const payments = fakePaymentGateway();
useContext(test, { ports: { payments } });

test.beforeEach(() => payments.sessions.clear());

interface Goods {
  product: BuiltProduct;
  promo: { id: string; code: string };
  card: { id: string; code: string };
}

async function stockStore(ctx: Context): Promise<Goods> {
  await buildPaymentAccount(ctx);
  return {
    product: await buildProduct(ctx, { variants: [{ ships: false }] }),
    promo: await buildPromo(ctx),
    card: await buildGiftCard(ctx, { balanceCents: 100_000 }),
  };
}

const buy = (ctx: Context, product: BuiltProduct, more: Partial<CheckoutInput> = {}) =>
  createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 1 }], ...more });

const buyReduced = (ctx: Context, { product, promo, card }: Goods, email = 'ada@example.com') =>
  buy(ctx, product, { promo_code: promo.code, gift_card_code: card.code, customer_email: email });

/** The orders of the sessions that can still be paid. */
const openAtProvider = () =>
  [...payments.sessions.values()].filter(({ state }) => state === 'open').map(({ orderId }) => orderId);

test.serial('a process that dies at any step of a checkout leaves an order that gets closed, or none', async (t) => {
  const { ctx, services, clock } = t.context;
  const goods = await stockStore(ctx);
  let step = 1;
  for (; step < 60; step += 1) {
    const died = await dieAt(services, step, () => buyReduced(ctx, goods));
    clock.pass(minutes(3));
    await runJobs(services);
    const pending = (await ordersOf(ctx)).filter(({ status }) => status === 'pending');
    t.true(pending.length <= 1, `step ${step}: at most the last order is still pending`);
    for (const order of pending) {
      t.like(await sessionOf(ctx, order.id), { state: 'open' }, `step ${step}: what is pending can be paid`);
      t.deepEqual(openAtProvider(), [order.id], `step ${step}: one session`);
    }
    t.like(await stockOf(ctx, goods.product.variant.id), { stock: 100, held: pending.length }, `step ${step}`);
    t.like(await usesOf(ctx, goods.promo.id), { held: pending.length, used: 0 }, `step ${step}`);
    if (!died) break;
  }
  t.true(step > 10, 'it died at many places');
  clock.pass(hours(2));
  await runJobs(services);
  t.like(await stockOf(ctx, goods.product.variant.id), { stock: 100, held: 0 });
  t.deepEqual(await usesOf(ctx, goods.promo.id), { held: 0, used: 0 });
  t.deepEqual(await usesOf(ctx, goods.promo.id, 'ada@example.com'), { held: 0, used: 0 });
  t.deepEqual(await balanceOf(ctx, goods.card.id), { balance: 100_000, held: 0 });
  t.true((await ordersOf(ctx)).every(({ status }) => status === 'expired'));
});

test.serial(
  "a process that dies during the provider's call leaves a session that gets closed, and no holds",
  async (t) => {
    const { ctx, services, clock } = t.context;
    const goods = await stockStore(ctx);
    payments.meanwhile = async (call) => {
      if (call === 'createSession') throw new Killed('died during the call');
    };
    await t.throwsAsync(buyReduced(ctx, goods), { instanceOf: Killed });
    payments.meanwhile = undefined;
    const [order] = await ordersOf(ctx);
    t.like(await sessionOf(ctx, order?.id ?? ''), { state: 'creating' });
    clock.pass(31_000);
    await runJobs(services);
    t.like(await sessionOf(ctx, order?.id ?? ''), { state: 'expired' });
    t.deepEqual(openAtProvider(), []);
    t.deepEqual(await holdsOf(ctx, order?.id ?? ''), ['gift_card: released', 'promo: released', 'stock: released']);
  },
);

test.serial(
  "a quote leaves out what the shopper's own checkout holds while that can be replaced, and no other",
  async (t) => {
    const { ctx } = t.context;
    const { product, card } = await stockStore(ctx);
    const promo = await buildPromo(ctx, { usage_limit: 2 });
    const ordersBy = new Map<string, string>();
    for (const email of ['ada@example.com', 'grace@example.com']) {
      await buyReduced(ctx, { product, promo, card }, email);
      ordersBy.set(email, (await ordersOf(ctx)).at(-1)?.id ?? '');
    }
    const { balance = 0, held = 0 } = (await balanceOf(ctx, card.id)) ?? {};
    const usedUp = await buildPromo(ctx, { usage_limit: 1 });
    await transact(ctx, (ctx) => holdPromo(ctx, { promoId: usedUp.id, customerEmail: 'linus@example.com' }));
    const otherCard = await buildGiftCard(ctx, { balanceCents: 5000 });
    const reasonOf = async (code: string, customerEmail: string) =>
      (await quotePromo(ctx, { code, currency: 'USD', subtotalCents: 5000, customerEmail })).reason;
    const appliedOf = async (code: string, customerEmail: string) =>
      (await quoteGiftCard(ctx, { code, orderTotalCents: 1_000_000, customerEmail })).appliedCents;
    const quoted = async (email: string) => [await reasonOf(promo.code, email), await appliedOf(card.code, email)];
    for (const email of ordersBy.keys()) {
      t.deepEqual(await quoted(email), [null, balance - held / 2], email);
      t.deepEqual([await reasonOf(usedUp.code, email), await appliedOf(otherCard.code, email)], ['usage_limit', 5000]);
    }
    const full = ['usage_limit', balance - held];
    t.deepEqual(await quoted('linus@example.com'), full);

    const { sessionId } = payments.sessionOf(ordersBy.get('ada@example.com') ?? '');
    payments.change(sessionId, { state: 'processing' });
    await checkSession(ctx, { orderId: ordersBy.get('ada@example.com') ?? '', number: 1 });
    t.deepEqual(await quoted('ada@example.com'), full, 'her money is on its way');
    t.deepEqual(await quoted('grace@example.com'), [null, balance - held / 2]);

    const ofGrace = sql`tenant_id = ${ctx.tenant.id} and order_id = ${ordersBy.get('grace@example.com') ?? ''}`;
    const supersede = (at: Date | null) =>
      writeRows(ctx, sql`update payment_sessions set superseded_at = ${at} where ${ofGrace} returning order_id`);
    await supersede(ctx.clock.now());
    t.deepEqual(await quoted('grace@example.com'), full, 'another checkout has replaced it');
    await supersede(null);
    await writeRows(ctx, sql`update holds set state = 'released' where ${ofGrace} returning id`);
    t.deepEqual(await quoted('grace@example.com'), full, 'it holds nothing any more');
  },
);

test('readCheckoutStatus advises to poll often only while a shopper waits', async (t) => {
  const { ctx } = t.context;
  const paid = await buildPaidOrder(ctx);
  const pending = await buildPaidOrder(ctx, { status: 'pending' });
  const processing = await buildPaidOrder(ctx, { status: 'pending' });
  const shipped = await buildPaidOrder(ctx);
  await transact(ctx, async (ctx) => {
    await ctx.tx.execute(sql`
      update orders set payment_status = 'processing' where tenant_id = ${ctx.tenant.id} and id = ${processing.id}`);
    await ctx.tx.execute(sql`
      update orders set fulfillment_status = 'shipped' where tenant_id = ${ctx.tenant.id} and id = ${shipped.id}`);
  });
  const { paidAt } = (await readOne<{ paidAt: Date }>(
    ctx,
    sql`select paid_at as "paidAt" from orders where tenant_id = ${ctx.tenant.id} and id = ${paid.id}`,
  )) ?? { paidAt: new Date() };
  const pollAfter = async ({ id }: { id: string }, ageMs = 0) => {
    const clock = { now: () => new Date(paidAt.getTime() + ageMs) };
    return (await readCheckoutStatus({ ...ctx, clock }, id))?.poll_after_ms;
  };
  t.deepEqual([await pollAfter(pending), await pollAfter(processing)], [1500, 30_000]);
  t.deepEqual(
    [await pollAfter(paid), await pollAfter(paid, 59_999), await pollAfter(paid, 60_000)],
    [3000, 3000, 60_000],
  );
  t.is(await pollAfter(shipped), 60_000);
});

test.serial('repairSession with too little time left does not repeat the call, and closes the order', async (t) => {
  const { ctx, services, clock } = t.context;
  const goods = await stockStore(ctx);
  payments.misfortunes.createSession = [{ failure: 'away' }];
  await t.throwsAsync(buyReduced(ctx, goods));
  const [order] = await ordersOf(ctx);
  clock.pass(minutes(30));
  payments.calls.length = 0;
  await runJobs(services);
  t.like(await sessionOf(ctx, order?.id ?? ''), { state: 'creating' }, 'one empty lookup proves nothing');
  clock.pass(minutes(2));
  await runJobs(services);
  t.false(payments.calls.includes('createSession'));
  t.like(await sessionOf(ctx, order?.id ?? ''), { state: 'expired' });
  t.like(await orderOf(ctx, order?.id ?? ''), { status: 'expired' });
  t.deepEqual(await holdsOf(ctx, order?.id ?? ''), ['gift_card: released', 'promo: released', 'stock: released']);
});

test.serial(
  'repairSession searches the session of a provider that keeps returning errors after it acted',
  async (t) => {
    const { ctx, services, clock } = t.context;
    const goods = await stockStore(ctx);
    payments.misfortunes.createSession = Array.from({ length: 4 }, () => ({ failure: 'away', after: true }));
    await t.throwsAsync(buyReduced(ctx, goods));
    const [order] = await ordersOf(ctx);
    clock.pass(31_000);
    await runJobs(services);
    t.like(await sessionOf(ctx, order?.id ?? ''), {
      state: 'expired',
      sessionId: payments.sessionOf(order?.id ?? '').sessionId,
    });
    payments.misfortunes.createSession = [];
  },
);

for (const misfortune of [
  { failure: 'busy' },
  { failure: 'denied' },
  { failure: 'away', code: notSent },
] satisfies Misfortune[]) {
  test.serial(`repairSession searches no session while the provider is ${JSON.stringify(misfortune)}`, async (t) => {
    const { ctx, services, clock } = t.context;
    const goods = await stockStore(ctx);
    payments.misfortunes.createSession = [{ failure: 'away', after: true }, misfortune, misfortune, misfortune];
    await t.throwsAsync(buyReduced(ctx, goods));
    const orderId = (await ordersOf(ctx))[0]?.id ?? '';
    payments.calls.length = 0;
    for (const waitMs of [seconds(31), minutes(1), minutes(2)]) {
      clock.pass(waitMs);
      await runJobs(services);
      t.like(await sessionOf(ctx, orderId), { state: 'creating' });
    }
    t.deepEqual(new Set(payments.calls), new Set(['createSession']));
    clock.pass(minutes(10));
    await runJobs(services);
    t.deepEqual(openAtProvider(), []);
  });
}

for (const failure of ['refused', 'missing'] as const) {
  test.serial(`repairSession ends a session whose creation is ${failure} when it is repeated`, async (t) => {
    const { ctx, services, clock } = t.context;
    const goods = await stockStore(ctx);
    payments.misfortunes.createSession = [{ failure: 'away' }, { failure }];
    await t.throwsAsync(buyReduced(ctx, goods));
    const [order] = await ordersOf(ctx);
    payments.calls.length = 0;
    clock.pass(seconds(31));
    await runJobs(services);
    t.deepEqual(payments.calls, ['createSession', 'removeDiscount']);
    t.like(await sessionOf(ctx, order?.id ?? ''), { state: 'expired', checkAt: null });
  });
}

test.serial('repairSession ends a session of unknown outcome a day after it can have been paid', async (t) => {
  const { ctx, services, clock } = t.context;
  const goods = await stockStore(ctx);
  payments.misfortunes.createSession = [{ failure: 'away' }];
  payments.misfortunes.findSession = Array.from({ length: 9 }, () => ({ failure: 'busy' as const }));
  await t.throwsAsync(buyReduced(ctx, goods));
  const [order] = await ordersOf(ctx);
  for (const [waitMs, state] of [
    [hours(24), 'creating'],
    [hours(1), 'expired'],
  ] as const) {
    clock.pass(waitMs);
    await runJobs(services);
    t.like(await sessionOf(ctx, order?.id ?? ''), { state });
  }
  payments.misfortunes.findSession = [];
});

test.serial(
  'a session that is created while it is abandoned is closed, and a repeated request creates a new order',
  async (t) => {
    const { ctx, services, clock } = t.context;
    const goods = await stockStore(ctx);
    const click = () =>
      createCheckoutSession(
        ctx,
        { items: [{ product_slug: goods.product.slug, quantity: 1 }] },
        { requestKey: 'a request' },
      );
    payments.misfortunes.createSession = [{ failure: 'away' }];
    await t.throwsAsync(click());
    const [order] = await ordersOf(ctx);
    const orderId = order?.id ?? '';
    clock.pass(minutes(10));
    payments.meanwhile = async (call) => {
      if (call !== 'createSession') return;
      payments.meanwhile = undefined;
      payments.misfortunes.createSession = [{ failure: 'away' }];
      await repairSession(ctx, { orderId, attempt: 1 });
    };
    t.like(await t.throwsAsync(click()), { code: 'payment_provider_unavailable' });
    await runJobs(services);
    t.like(await orderOf(ctx, orderId), { status: 'expired' });
    t.like(await sessionOf(ctx, orderId), { state: 'expired' });
    t.deepEqual(openAtProvider(), []);
    t.not((await click()).order_id, orderId);
    t.like(await stockOf(ctx, goods.product.variant.id), { held: 1 });
  },
);

test.serial('a process that dies at any step of a reconciliation pays the order once', async (t) => {
  const { ctx, services } = t.context;
  const goods = await stockStore(ctx);
  let sold = 0;
  let deaths = 0;
  for (let step = 1; step < 80; step += 1) {
    const { order_id: orderId } = await buyReduced(ctx, goods);
    payments.change(payments.sessionOf(orderId).sessionId, { state: 'settled', paymentId: 'pi_1' });
    const check = () => checkSession(ctx, { orderId, number: 1 });
    const died = await dieAt(services, step, check);
    await check();
    sold += 1;
    t.like(await orderOf(ctx, orderId), { status: 'paid', attentionCode: null }, `step ${step}`);
    t.deepEqual(await recorded(ctx, orderId), ['order.paid'], `step ${step}`);
    t.like(
      await stockOf(ctx, goods.product.variant.id),
      { stock: 100 - sold, held: 0, ledger: 100 - sold },
      `step ${step}`,
    );
    t.is((await usesOf(ctx, goods.promo.id)).used, sold, `step ${step}`);
    if (died) deaths += 1;
    else break;
  }
  t.true(deaths > 10, 'it died at many places');
  const receipts = await read(
    ctx,
    sql`select 1 as one from mails where tenant_id = ${ctx.tenant.id} and kind = 'receipt'`,
  );
  t.is(receipts.length, sold);
});

async function errorOf(t: ExecutionContext, work: Promise<unknown>): Promise<DomainError | undefined> {
  return t.throwsAsync(work, { instanceOf: DomainError });
}

/** Let calls of one kind wait at the provider until they are let go; `arrived` when the first has come. */
function heldUp(kind: string) {
  const [arrived, releaseHeldLabel] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  payments.meanwhile = async (call) => {
    if (call !== kind) return;
    payments.meanwhile = undefined;
    arrived.resolve();
    await releaseHeldLabel.promise;
  };
  return { arrived: arrived.promise, releaseHeldLabel: releaseHeldLabel.resolve };
}

test.serial('a request without a response does not block the next one, and its session is closed', async (t) => {
  const { ctx, services, clock } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx, { variants: [{ stock: 1 }] });
  const cart = { cart_id: newId('cart') };
  payments.misfortunes.createSession = [{ failure: 'away', after: true }];
  t.is((await errorOf(t, buy(ctx, product, cart)))?.code, 'payment_provider_unavailable');
  const [first] = await ordersOf(ctx);

  const second = await buy(ctx, product, cart);
  t.like(await orderOf(ctx, first?.id ?? ''), { status: 'expired' });
  t.deepEqual(await holdsOf(ctx, first?.id ?? ''), ['stock: released']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 1, held: 1 });
  clock.pass(31_000);
  await runJobs(services);
  t.deepEqual(openAtProvider(), [second.order_id]);
});

test.serial('a session that is opened after the shopper requested another one is not returned', async (t) => {
  const { ctx, services } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const order = { items: [{ product_slug: product.slug, quantity: 1 }], customer_email: 'ada@example.com' };
  const slow = heldUp('createSession');
  const first = createCheckoutSession(ctx, order, { requestKey: 'first' });
  await slow.arrived;
  const second = await createCheckoutSession(ctx, order, { requestKey: 'second' });
  slow.releaseHeldLabel();
  t.like(await errorOf(t, first), { code: 'payment_provider_unavailable', retryAfterSeconds: 5 });

  const again = await createCheckoutSession(ctx, order, { requestKey: 'first' });
  t.not(
    again.order_id,
    payments.sessions.values().next().value?.orderId,
    'the same request asked again is a new click',
  );
  t.like(await orderOf(ctx, second.order_id), { status: 'expired' });
  await runJobs(services);
  t.deepEqual(openAtProvider(), [again.order_id]);
});

test.serial('a session that is opened while it is superseded is closed first', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const cart = { cart_id: newId('cart') };
  const slow = heldUp('createSession');
  const first = buy(ctx, product, cart);
  await slow.arrived;
  const [order] = await ordersOf(ctx);
  const { second } = await transact(ctx, async (held) => {
    await lockOrder(held, order?.id ?? '');
    const second = buy(ctx, product, cart);
    await until(async () => (await countLockWaits(ctx)) > 0, { what: 'the second to come so far' });
    slow.releaseHeldLabel();
    await first;
    return { second };
  });
  const { order_id: orderId } = await second;
  t.deepEqual(openAtProvider(), [orderId]);
  t.like(await orderOf(ctx, order?.id ?? ''), { status: 'expired' });
});
