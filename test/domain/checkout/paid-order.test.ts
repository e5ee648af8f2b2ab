import anyTest, { type ExecutionContext, type TestFn } from 'ava';

import { purchaseLabel } from '#jobs/labels.ts';
import { readOne, transact } from '#src/database/transact.ts';
import { type CheckoutInput, createCheckoutSession } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { removePartner } from '#src/domain/partners/index.ts';
import { removeDiscount } from '#src/domain/payments/index.ts';
import { hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { attributionOf, buildPartner } from '#test/support/factories/partners.ts';
import { holdsOf, orderOf, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { balanceOf, buildGiftCard, buildPromo, usesOf } from '#test/support/factories/promotions.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { subscriptionsOf } from '#test/support/factories/subscriptions.ts';
import { buildEndpoint, countStates, receiverFor } from '#test/support/factories/webhooks.ts';
import { fakeMailer } from '#test/support/fakes/mailer.ts';
import { fakeShippingGateway } from '#test/support/fakes/shipping-gateway.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
// With few connections, each soon has sent every statement several times.
await useStripe(test, { DATABASE_POOL_MAX: '2' }, { mailer: fakeMailer(), shipping: fakeShippingGateway() });

/** What the relay, the ticks and the caches send, however many orders there are. */
const byTheClock =
  /^\s*(with\s+recursive\s+queue|update payment_sessions set checks = checks \+ 1|select id, slug, name)/;

test.serial('an order from the cart to its label, email and events costs so many jobs and statements', async (t) => {
  const { ctx } = t.context;
  const { buy, endpoint } = await openStore(t);
  // What the first order finds in no cache is not counted.
  await buy('ada@example.com');
  const { ran, costs } = await buy('bea@example.com');
  t.deepEqual(ran, [
    'emails.send-mail: done',
    'labels.purchase-label: done',
    'payments.reconcile-payment-event: done',
    'webhooks.drain-endpoint: done',
  ]);
  t.deepEqual(await countStates(ctx, endpoint.id), { delivered: 4 });
  const total = costs.reduce((sum, [, statements]) => sum + statements, 0);
  t.log(`${total} statements: ${costs.map(([what, statements]) => `${what} ${statements}`).join(', ')}`);
  // 46, and a few more when a minute begins or a cached row is read again meanwhile.
  t.true(total <= 50, `${total} statements`);
});

test.serial('PostgreSQL reuses the plan of every statement of an order', async (t) => {
  const { pool } = t.context.services.context().database;
  const { buy } = await openStore(t);
  for (let order = 0; order < 8; order += 1) await buy(`shopper-${order}@example.com`);
  const clients = await Promise.all(Array.from({ length: pool.totalCount }, () => pool.connect()));
  const frequent = [];
  for (const client of clients) {
    frequent.push(...(await client.query(plansOfSession)).rows);
    client.release();
  }
  t.true(frequent.length > 30, `${frequent.length} statements`);
  t.deepEqual(
    frequent.filter(({ plans }) => plans > customPlansMax).map(({ statement }) => statement),
    [],
  );
});

/** As many plans for the values that are given PostgreSQL makes before it considers a generic one. */
const customPlansMax = 5;
const plansOfSession = {
  text: `select statement, custom_plans as plans from pg_prepared_statements
    where custom_plans + generic_plans > ${customPlansMax} + 1`,
};

/** A store with an endpoint for which a label is bought, and how to buy from it. */
async function openStore(t: ExecutionContext<StripeContext>) {
  const { ctx, services, stripe, api } = t.context;
  await buildShippingAccount(ctx);
  const receiver = await receiverFor(t);
  const endpoint = await buildEndpoint(ctx, receiver, { events: ['order.*', 'label.*'] });
  const product = await buildProduct(ctx);
  const key = await buildKey(ctx, ['cart:read', 'cart:write', 'checkout:write']);
  const call = async (method: string, path: string, body?: object) =>
    (await api.call(method, `/api/v1${path}`, { key, body })).body;

  async function buy(email: string) {
    const costs: [what: string, statements: number][] = [];
    async function count<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
      const { result, statements } = await countStatements(services, work);
      costs.push([what, statements.filter((statement) => !byTheClock.test(statement)).length]);
      return result;
    }
    const line = { product_slug: product.slug, variant_id: product.variant.id, quantity: 1 };
    const cartId = await count('cart', async () => {
      const { cart } = await call('POST', '/cart', {});
      await call('POST', `/cart/${cart.id}/items`, { variantId: product.variant.id, quantity: 1 });
      await call('GET', `/cart/${cart.id}`);
      return cart.id;
    });
    const { order_id: orderId } = await count('checkout', () =>
      call('POST', '/checkout/sessions', { items: [line], customer_email: email, cart_id: cartId }),
    );
    const { sessionId } = await sessionOf(ctx, orderId);
    await count('event', async () => {
      await stripe.pay(sessionId ?? '', { ...shopper, email, outcome: 'paid' });
      await stripe.idle();
    });
    const ran: string[] = [];
    for (let round = 0; round < 4; round += 1) {
      const [first, ...others] = await count(`round ${round + 1}`, () => runJobs(services, { rounds: 1 }));
      if (first) ran.push(first, ...others);
    }
    return { ran: ran.toSorted(), costs };
  }
  return { buy, endpoint };
}

test.serial('a shopper pays on the hosted page, and the order is paid once with everything that follows', async (t) => {
  const { ctx, services, stripe } = t.context;
  await buildShippingAccount(ctx);
  const product = await buildProduct(ctx);
  const promo = await buildPromo(ctx);
  const card = await buildGiftCard(ctx, { balanceCents: 1000 });

  const { result: checkout, statements } = await countStatements(services, () =>
    createCheckoutSession(ctx, {
      items: [{ product_slug: product.slug, quantity: 2 }],
      customer_email: ' Ada@Example.com ',
      promo_code: promo.code,
      gift_card_code: card.code,
      metadata: { campaign: 'autumn' },
    }),
  );
  t.log(`${statements.length} statements of a checkout with everything`);
  t.true(statements.length <= 14);
  t.is(checkout.order.order_number, 'ORD-1001');
  t.is(checkout.order.total_cents, 2 * 3800 - 760 - 1000);
  t.deepEqual(await holdsOf(ctx, checkout.order_id), ['gift_card: held', 'promo: held', 'stock: held']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 100, held: 2 });

  const { sessionId } = await sessionOf(ctx, checkout.order_id);
  await stripe.pay(sessionId ?? '', { ...shopper, outcome: 'paid' });
  t.true(await stripe.idle());
  await runJobs(services, { rounds: 1 });

  const order = await orderOf(ctx, checkout.order_id);
  t.like(order, {
    status: 'paid',
    paymentStatus: 'paid',
    email: 'ada@example.com',
    attentionCode: null,
    shippingCents: 599,
  });
  t.is(order.totalCents, 2 * 3800 - 760 - 1000 + 599);
  t.truthy(order.customerId);
  t.deepEqual(await holdsOf(ctx, order.id), ['gift_card: captured', 'promo: captured', 'stock: captured']);
  t.like(await stockOf(ctx, product.variant.id), { stock: 98, held: 0 });
  t.deepEqual(await usesOf(ctx, promo.id), { held: 0, used: 1 });
  t.deepEqual(await balanceOf(ctx, card.id), { balance: 0, held: 0 });
  t.deepEqual(await recorded(ctx, order.id), ['order.paid']);
  t.is((await enqueuedJobs(ctx, purchaseLabel)).length, 1);
});

test.serial(
  'removeDiscount removes the discount of a session that is over, paid or not, and can be repeated',
  async (t) => {
    const { ctx, services, stripe, account, clock } = t.context;
    const product = await buildProduct(ctx, { variants: [{ ships: false }] });
    const promo = await buildPromo(ctx);
    const buy = () =>
      createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 1 }], promo_code: promo.code });
    const coupons = async () => (await stripe.account(account.secretKey)).coupons.length;
    const [paid] = [await buy(), await buy()];
    t.is(await coupons(), 2);
    await stripe.pay((await sessionOf(ctx, paid.order_id)).sessionId ?? '', { ...shopper, outcome: 'paid' });
    await stripe.idle();
    await stripe.addFault({ match: 'DELETE /v1/coupons/*', kind: 'reset_after', times: 4 });
    await runJobs(services);
    clock.pass(hours(2));
    await runJobs(services);
    t.is(await coupons(), 0);
    for (let time = 0; time < 2; time += 1) await t.notThrowsAsync(removeDiscount(ctx, { orderId: paid.order_id }));
    t.like(await orderOf(ctx, paid.order_id), { status: 'paid', totalCents: 3420 });
  },
);

interface Reduced {
  id: string;
  discount: number;
  card: number;
  promo: string | null;
  total: number;
  items: number[];
}

/** The order of a checkout: what it costs, and what each item is reduced by. */
async function checkOut(ctx: Context, input: CheckoutInput): Promise<Reduced> {
  const { order_id: id } = await createCheckoutSession(ctx, input);
  const order = await readOne<Reduced>(
    ctx,
    sql`
    select o.id, o.discount_cents as discount, o.gift_card_cents as card, o.promo_code as promo, o.total_cents as total,
      (select json_agg(i.discount_cents order by i.position) from order_items i
        where i.tenant_id = o.tenant_id and i.order_id = o.id) as items
    from orders o where o.tenant_id = ${ctx.tenant.id} and o.id = ${id}`,
  );
  if (!order) throw new Error('There is no order.');
  return order;
}

async function pay({ ctx, services, stripe }: StripeContext, orderId: string): Promise<void> {
  await stripe.pay((await sessionOf(ctx, orderId)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  if (!(await stripe.idle())) throw new Error('Webhooks are stuck.');
  await runJobs(services);
}

/** The names of the discounts at the provider. */
const couponNames = async ({ account, stripe }: StripeContext) =>
  (await stripe.account(account.secretKey)).coupons.map(({ name }) => name);

test.serial(
  'a checkout with a partner code is paid with the discount, and its commission is of the rest',
  async (t) => {
    const { ctx } = t.context;
    await buildShippingAccount(ctx);
    const [bowl, cup] = await Promise.all([
      buildProduct(ctx),
      buildProduct(ctx, { variants: [{ price_cents: 1010 }, {}] }),
    ]);
    const { id: partnerId, code } = await buildPartner(ctx, { discount_percent: 5 });
    const { id, ...order } = await checkOut(ctx, {
      items: [
        { product_slug: bowl.slug, quantity: 1 },
        { product_slug: cup.slug, variant_id: cup.variant.id, quantity: 1 },
      ],
      partner_code: ` ${code.toUpperCase()}`,
    });
    t.deepEqual(order, { discount: 241, card: 0, promo: null, total: 4569, items: [190, 51] });
    t.deepEqual(await couponNames(t.context), ['The Maker Blog']);

    await pay(t.context, id);
    t.like(await orderOf(ctx, id), { status: 'paid', attentionCode: null, totalCents: 4569 + 599 });
    t.like(await attributionOf(ctx, id), { partnerId, commissionCents: 366 });
  },
);

test.serial('the discount of a partner is rounded to whole units of a currency without smaller ones', async (t) => {
  const { ctx } = t.context;
  for (const [currency, price, discount] of [
    ['JPY', 1010, 51],
    ['ISK', 101_000, 5100],
  ] as const) {
    const product = await buildProduct(ctx, { variants: [{ price_cents: price }] });
    const { code } = await buildPartner(ctx, { discount_percent: 5 });
    const items = [{ product_slug: product.slug, quantity: 1 }];
    const own = { ...ctx, tenant: { ...ctx.tenant, currency } };
    const order = await checkOut(own, { items, partner_code: code });
    t.like(order, { discount, total: price - discount, items: only(discount) }, currency);
  }
});

test.serial('a gift card pays what the discount of the partner leaves', async (t) => {
  const { ctx } = t.context;
  const product = await buildProduct(ctx, { variants: [{ ships: false }] });
  const { code } = await buildPartner(ctx, { discount_percent: 10 });
  const card = await buildGiftCard(ctx, { balanceCents: 1000 });
  const { id, ...order } = await checkOut(ctx, {
    items: [{ product_slug: product.slug, quantity: 1 }],
    partner_code: code,
    gift_card_code: card.code,
  });
  t.deepEqual(order, { discount: 380, card: 1000, promo: null, total: 2420, items: [380] });
  t.deepEqual(await couponNames(t.context), ['The Maker Blog + Gift card']);
  await pay(t.context, id);
  t.like(await orderOf(ctx, id), { status: 'paid', attentionCode: null, totalCents: 2420 });
});

test.serial('a promo code replaces the discount of the partner, who is credited all the same', async (t) => {
  const { ctx } = t.context;
  const product = await buildProduct(ctx);
  const partner = await buildPartner(ctx, { discount_percent: 50 });
  const promo = await buildPromo(ctx);
  const { id, ...order } = await checkOut(ctx, {
    items: [{ product_slug: product.slug, quantity: 1 }],
    partner_code: partner.code,
    promo_code: promo.code,
  });
  t.deepEqual(order, { discount: 380, card: 0, promo: promo.code, total: 3420, items: [380] });
  t.deepEqual(await couponNames(t.context), [promo.code]);
  await pay(t.context, id);
  t.like(await attributionOf(ctx, id), { partnerId: partner.id });
});

test.serial('an unknown partner, a removed one and one without a discount give none', async (t) => {
  const { ctx, services } = t.context;
  const product = await buildProduct(ctx);
  const items = [{ product_slug: product.slug, quantity: 1 }];
  const [removed, plain] = [await buildPartner(ctx, { discount_percent: 5 }), await buildPartner(ctx)];
  await transact(ctx, (ctx) => removePartner(ctx, removed.code));
  for (const code of ['no-such-maker', removed.code, plain.code]) {
    t.like(await checkOut(ctx, { items, partner_code: code }), { discount: 0, total: 3800, items: only(0) }, code);
  }
  t.deepEqual(await couponNames(t.context), []);
  const { statements } = await countStatements(services, () => checkOut(ctx, { items }));
  t.false(statements.some((text) => text.includes('from partners')));
});

test.serial('the discount of a partner reduces the first payment of a subscription', async (t) => {
  const { ctx, services, stripe } = t.context;
  const beans = await buildProduct(ctx, {
    purchase_types: ['subscription'],
    subscription_intervals: ['month'],
    variants: [{ ships: false }],
  });
  const { code } = await buildPartner(ctx, { discount_percent: 10 });
  const { id } = await checkOut(ctx, {
    items: [
      {
        product_slug: beans.slug,
        variant_id: beans.variant.id,
        quantity: 1,
        purchase_type: 'subscription',
        subscription_interval: 'month',
      },
    ],
    customer_email: 'ada@example.com',
    partner_code: code,
  });
  await pay(t.context, id);
  await stripe.renew((await subscriptionsOf(ctx))[0]?.paymentSubscriptionId ?? '', 'paid');
  t.true(await stripe.idle());
  await runJobs(services);
  t.deepEqual(
    (await ordersOf(ctx)).map(({ status, totalCents, attentionCode }) => ({ status, totalCents, attentionCode })),
    [3060, 3400].map((totalCents) => ({ status: 'paid' as const, totalCents, attentionCode: null })),
  );
});
