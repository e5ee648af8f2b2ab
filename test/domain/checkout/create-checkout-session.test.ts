import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import fc from 'fast-check';

import { repairSession } from '#jobs/checkout.ts';
import { checkSession as checkSessionJob } from '#jobs/payments.ts';
import { transact } from '#src/database/transact.ts';
import type { PricedLine } from '#src/domain/catalog/index.ts';
import { type CheckoutInput, createCheckoutSession } from '#src/domain/checkout/index.ts';
import { planOrder } from '#src/domain/checkout/plan-order.ts';
import type { CheckoutQuote } from '#src/domain/checkout/quote-checkout.ts';
import type { Context } from '#src/domain/context.ts';
import { checkSession, savePaymentAccount } from '#src/domain/payments/index.ts';
import { quoteGiftCard, quotePromo } from '#src/domain/promotions/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { spread } from '#src/lib/money.ts';
import { centsMax } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs, recorded } from '#test/support/enqueued-jobs.ts';
import { type BuiltProduct, buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildPaymentAccount, holdsOf, orderOf, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { balanceOf, buildGiftCard, buildPromo, usesOf } from '#test/support/factories/promotions.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { only } from '#test/support/only.ts';

const test = anyTest as TestFn<TestContext>;
const payments = fakePaymentGateway();
useContext(test, { ports: { payments } });

test.beforeEach(() => {
  payments.calls.length = 0;
  payments.meanwhile = undefined;
});

const buy = (ctx: Context, product: BuiltProduct, more: Partial<CheckoutInput> = {}) =>
  createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 1 }], ...more });

const subscriptionLine = (product: BuiltProduct, interval = 'month') => ({
  product_slug: product.slug,
  variant_id: product.variant.id,
  quantity: 1,
  purchase_type: 'subscription' as const,
  subscription_interval: interval,
});

const coffee = {
  name: 'Coffee',
  purchase_types: ['one_time' as const, 'subscription' as const],
  subscription_intervals: ['month' as const, 'quarter' as const],
};

async function errorOf(t: ExecutionContext, work: Promise<unknown>): Promise<DomainError> {
  const error = await t.throwsAsync(work, { instanceOf: DomainError });
  return error ?? new DomainError('invalid', 'none', 'It was not rejected.');
}

test.serial('createCheckoutSession rejects a store in connect mode or without a key, and writes nothing', async (t) => {
  const { ctx } = t.context;
  const product = await buildProduct(ctx);
  t.like(await errorOf(t, buy(ctx, product)), { kind: 'unavailable', code: 'payment_provider_not_configured' });
  await transact(ctx, (ctx) =>
    savePaymentAccount(ctx, { provider: 'stripe', mode: 'connect', account_id: 'acct_1', automatic_tax: false }),
  );
  t.like(await errorOf(t, buy(ctx, product)), { kind: 'unavailable', code: 'payment_provider_not_configured' });
  t.deepEqual(await ordersOf(ctx), []);
  t.deepEqual(payments.calls, []);
});

test.serial(
  'createCheckoutSession creates a pending order with its holds, and a session that is checked, without a job',
  async (t) => {
    const { ctx, clock } = t.context;
    await buildPaymentAccount(ctx);
    const product = await buildProduct(ctx);
    const checkout = await buy(ctx, product, { customer_email: 'ada@example.com' });
    t.like(checkout.order, { order_number: 'ORD-1001', status: 'pending', currency: 'USD', total_cents: 3800 });
    t.is(checkout.order.id, checkout.order_id);
    t.is((await buy(ctx, product)).order_number, 'ORD-1002');
    t.like(await orderOf(ctx, checkout.order_id), { status: 'pending', paymentStatus: 'unpaid' });
    const { checkAt } = await sessionOf(ctx, checkout.order_id);
    t.true(checkAt !== null && checkAt > fromNow(clock, minutes(1)) && checkAt <= fromNow(clock, minutes(2)));
    t.deepEqual([...(await enqueuedJobs(ctx, repairSession)), ...(await enqueuedJobs(ctx, checkSessionJob))], []);
  },
);

test.serial(
  'createCheckoutSession names the product of every line, and the variant where one was requested',
  async (t) => {
    const { ctx } = t.context;
    await buildPaymentAccount(ctx);
    await buildShippingAccount(ctx);
    const bowl = await buildProduct(ctx);
    const beans = await buildProduct(ctx, coffee);
    const { order_id } = await createCheckoutSession(ctx, {
      items: [{ product_slug: bowl.slug, quantity: 2 }, subscriptionLine(beans, 'quarter')],
    });
    const request = payments.requests.get(`checkout:${order_id}`);
    t.is(request?.mode, 'subscription');
    t.deepEqual(
      request?.lines.map(({ productId, variantId, interval, unitPriceCents }) => ({
        productId,
        variantId,
        interval,
        unitPriceCents,
      })),
      [
        { productId: bowl.id, variantId: null, interval: null, unitPriceCents: 3800 },
        { productId: beans.id, variantId: beans.variant.id, interval: 'quarter', unitPriceCents: 3400 },
      ],
    );
    t.deepEqual(request?.shipping?.options, []);
  },
);

test.serial(
  'createCheckoutSession with a subscription makes shipping a line that recurs with the shipments',
  async (t) => {
    const { ctx } = t.context;
    await buildPaymentAccount(ctx);
    await buildShippingAccount(ctx);
    const beans = await buildProduct(ctx, coffee);
    const { order_id, order } = await createCheckoutSession(ctx, { items: [subscriptionLine(beans)] });
    t.like(payments.requests.get(`checkout:${order_id}`)?.lines.at(-1), {
      productId: 'shipping',
      unitPriceCents: 599,
      interval: 'month',
    });
    t.is(order.total_cents, 3400 + 599);
  },
);

test.serial('an option of shipping is free from its amount on', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  await buildShippingAccount(ctx, { options: [{ name: 'Standard', amount_cents: 599, free_over_cents: 3800 }] });
  for (const [price_cents, amountCents] of [
    [3799, 599],
    [3800, 0],
  ] as const) {
    const { order_id } = await buy(ctx, await buildProduct(ctx, { variants: [{ price_cents }] }));
    const { shipping } = payments.requests.get(`checkout:${order_id}`) ?? {};
    t.like(shipping?.options, only({ name: 'Standard', amountCents }));
  }
});

test.serial('free shipping makes the cheapest option free', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  await buildShippingAccount(ctx);
  const product = await buildProduct(ctx);
  const { code } = await buildPromo(ctx, { type: 'free_shipping' });
  const { order_id } = await buy(ctx, product, { promo_code: code });
  const options = (id: string) =>
    payments.requests.get(`checkout:${id}`)?.shipping?.options.map(({ amountCents }) => amountCents);
  t.deepEqual(options(order_id), [0, 1499]);
  const big = await createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 2 }] });
  t.deepEqual(options(big.order_id), [0, 1499]);
});

test.serial('createCheckoutSession rejects what cannot be billed together before it calls the provider', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const beans = await buildProduct(ctx, coffee);
  const bowl = await buildProduct(ctx);
  const cheap = await buildProduct(ctx, { variants: [{ price_cents: 20 }] });
  const code = async (input: CheckoutInput) => (await errorOf(t, createCheckoutSession(ctx, input))).code;
  t.is(await code({ items: [subscriptionLine(beans), subscriptionLine(beans, 'quarter')] }), 'mixed_intervals');
  t.is(
    await code({
      items: [subscriptionLine(beans), ...Array.from({ length: 21 }, () => ({ product_slug: bowl.slug, quantity: 1 }))],
    }),
    'too_many_items',
  );
  t.is(await code({ items: [{ product_slug: cheap.slug, quantity: 2 }] }), 'amount_too_small');
  const dear = await buildProduct(ctx, { variants: [{ price_cents: 9_999_999_999 }] });
  t.is(await code({ items: [{ product_slug: dear.slug, quantity: 2 }] }), 'invalid_request');
  t.is(await code({ items: [{ product_slug: 'no-such-bowl', quantity: 1 }] }), 'unknown_product');
  t.is(
    await code({
      items: [{ product_slug: beans.slug, quantity: 1, purchase_type: 'subscription', subscription_interval: 'month' }],
    }),
    'variant_required',
  );
  t.is(
    await code({ items: [{ product_slug: bowl.slug, quantity: 1 }], return_url: 'ftp://shop.example/' }),
    'invalid_request',
  );
  t.is(await code({ items: [{ product_slug: bowl.slug, quantity: 1 }], promo_code: 'NOPE' }), 'promo_not_applicable');
  t.is(
    await code({ items: [{ product_slug: bowl.slug, quantity: 1 }], gift_card_code: 'NOPE-NOPE' }),
    'gift_card_not_applicable',
  );
  t.deepEqual(payments.calls, []);
  t.deepEqual(await ordersOf(ctx), []);
});

test.serial('createCheckoutSession rejects disabled modules', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const beans = await buildProduct(ctx, coffee);
  const modules = { ...ctx.tenant.modules, subscriptions: false, gift_cards: false };
  const off = { ...ctx, tenant: { ...ctx.tenant, modules } };
  t.is((await errorOf(t, createCheckoutSession(off, { items: [subscriptionLine(beans)] }))).code, 'module_disabled');
  t.is((await errorOf(t, buy(off, beans, { gift_card_code: 'ABCD' }))).code, 'module_disabled');
});

test.serial('a gift card that covers everything leaves nothing to pay', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const card = await buildGiftCard(ctx);
  const { order, order_id } = await buy(ctx, product, { gift_card_code: card.code });
  t.is(order.total_cents, 0);
  t.deepEqual(await balanceOf(ctx, card.id), { balance: 5000, held: 3800 });
  t.is(payments.requests.get(`checkout:${order_id}`)?.discountCents, 3800);
});

test.serial('createCheckoutSession rejects a second live subscription to a product by the same email', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const beans = await buildProduct(ctx, coffee);
  const { paymentSubscriptionId } = await buildSubscription(ctx, {
    productId: beans.id,
    email: 'ada@example.com',
    status: 'past_due',
  });
  // Another variant of the product, in the same subscription.
  await buildSubscription(ctx, { productId: beans.id, email: 'ada@example.com', paymentSubscriptionId });
  const again = { items: [subscriptionLine(beans)] };

  const error = await errorOf(t, createCheckoutSession(ctx, { ...again, customer_email: ' ADA@example.com' }));
  t.is(error.code, 'duplicate_subscription');
  t.is(error.kind, 'conflict');
  t.deepEqual(error.extensions, {
    conflicts: [{ product_id: beans.id, product_name: 'Coffee', payment_subscription_id: paymentSubscriptionId }],
  });
  t.deepEqual(payments.calls, []);

  await t.notThrowsAsync(createCheckoutSession(ctx, { ...again, customer_email: 'bob@example.com' }));
  await t.notThrowsAsync(createCheckoutSession(ctx, again));
  await t.notThrowsAsync(buy(ctx, beans, { customer_email: 'ada@example.com' }));
});

test.serial('createCheckoutSession accepts a new subscription after a canceled one', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const beans = await buildProduct(ctx, coffee);
  await buildSubscription(ctx, { productId: beans.id, email: 'ada@example.com', status: 'canceled' });
  await t.notThrowsAsync(
    createCheckoutSession(ctx, { items: [subscriptionLine(beans)], customer_email: 'ada@example.com' }),
  );
});

test.serial("createCheckoutSession supersedes the caller's older session", async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx, { variants: [{ stock: 1 }] });
  const cart = { cart_id: newId('cart') };
  const first = await buy(ctx, product, cart);
  const second = await buy(ctx, product, cart);
  t.like(await orderOf(ctx, first.order_id), { status: 'expired' });
  t.deepEqual(await holdsOf(ctx, first.order_id), ['stock: released']);
  t.deepEqual(await recorded(ctx, first.order_id), ['order.expired']);
  t.is(payments.sessionOf(first.order_id).state, 'expired');
  t.like(await orderOf(ctx, second.order_id), { status: 'pending' });
  t.like(await stockOf(ctx, product.variant.id), { stock: 1, held: 1 });
});

test.serial(
  'createCheckoutSession applies the older session first, so a shopper who just paid does not pay again',
  async (t) => {
    const { ctx } = t.context;
    await buildPaymentAccount(ctx);
    const beans = await buildProduct(ctx, coffee);
    const again = { items: [subscriptionLine(beans)], customer_email: 'ada@example.com' };
    const first = await createCheckoutSession(ctx, again);
    const subscription = payments.subscriptions
      .set('sub_1', {
        subscriptionId: 'sub_1',
        state: 'active',
        orderId: first.order_id,
        tenantId: ctx.tenant.id,
        environment: 'test',
        customerId: 'cus_1',
        email: 'ada@example.com',
        currency: 'USD',
        cancelAtPeriodEnd: false,
        canceledAt: null,
        items: [
          {
            itemId: 'si_1',
            productId: beans.id,
            variantId: beans.variant.id,
            quantity: 1,
            unitPriceCents: 3400,
            interval: 'month',
            currentPeriodEnd: new Date(Date.UTC(2030, 0)),
          },
        ],
      })
      .get('sub_1');
    payments.change(payments.sessionOf(first.order_id).sessionId, {
      state: 'settled',
      subscriptionId: subscription?.subscriptionId ?? null,
    });

    t.is((await errorOf(t, createCheckoutSession(ctx, again))).code, 'duplicate_subscription');
    t.like(await orderOf(ctx, first.order_id), { status: 'paid' });
  },
);

test.serial('createCheckoutSession leaves one session of concurrent requests of a caller', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx, { variants: [{ stock: 1 }] });
  const results = await Promise.allSettled(
    Array.from({ length: 4 }, () => buy(ctx, product, { customer_email: 'ada@example.com' })),
  );
  t.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'],
  );
  const orders = await ordersOf(ctx);
  t.is(orders.filter(({ status }) => status === 'pending').length, 1);
  t.like(await stockOf(ctx, product.variant.id), { stock: 1, held: 1 });
});

test.serial('createCheckoutSession opens one session for each email and subscription, from any carts', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const beans = await buildProduct(ctx, coffee);
  const tea = await buildProduct(ctx, { ...coffee, name: 'Tea' });
  const subscribe = (lines: ReturnType<typeof subscriptionLine>[], customer_email: string | null = 'ada@example.com') =>
    createCheckoutSession(ctx, { items: lines, cart_id: newId('cart'), customer_email });
  const first = await subscribe([subscriptionLine(beans)]);
  const other = await subscribe([subscriptionLine(tea)]);
  const once = await buy(ctx, beans, { cart_id: newId('cart'), customer_email: 'ada@example.com' });
  const guest = await subscribe([subscriptionLine(beans)], null);
  const grace = await subscribe([subscriptionLine(beans)], 'grace@example.com');
  const states = async (...orders: { order_id: string }[]) =>
    Promise.all(orders.map(async ({ order_id: id }) => (await orderOf(ctx, id)).status));
  t.deepEqual(await states(first, other, once, guest), ['pending', 'pending', 'pending', 'pending']);

  const both = await subscribe(
    [subscriptionLine(beans, 'quarter'), subscriptionLine(tea, 'quarter')],
    ' Ada@example.com',
  );
  t.deepEqual(await states(first, other, once, guest, both), ['expired', 'expired', 'pending', 'pending', 'pending']);
  t.is(payments.sessionOf(first.order_id).state, 'expired');
  t.deepEqual(await states(grace), ['pending'], 'of another shopper');
});

test.serial(
  'createCheckoutSession leaves one of concurrent checkouts of the same subscription from different carts',
  async (t) => {
    const { ctx } = t.context;
    await buildPaymentAccount(ctx);
    for (let time = 0; time < 3; time += 1) {
      const beans = await buildProduct(ctx, coffee);
      const results = await Promise.allSettled(
        Array.from({ length: 4 }, () =>
          createCheckoutSession(ctx, {
            items: [subscriptionLine(beans)],
            cart_id: newId('cart'),
            customer_email: `ada-${time}@example.com`,
          }),
        ),
      );
      t.deepEqual(
        results.map(({ status }) => status),
        ['fulfilled', 'fulfilled', 'fulfilled', 'fulfilled'],
      );
      const orders = (await ordersOf(ctx)).filter(({ email }) => email === `ada-${time}@example.com`);
      const open = orders.filter(({ id }) => payments.sessionOf(id).state === 'open');
      t.is(open.length, 1);
      t.deepEqual(
        orders.filter(({ status }) => status === 'pending').map(({ id }) => id),
        open.map(({ id }) => id),
      );
    }
  },
);

test.serial("createCheckoutSession of a guest does not supersede another guest's session", async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  await buy(ctx, product);
  await buy(ctx, product);
  t.deepEqual(
    (await ordersOf(ctx)).map(({ status }) => status),
    ['pending', 'pending'],
  );
});

test.serial('createCheckoutSession releases all holds when the provider rejects the session', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const promo = await buildPromo(ctx);
  const card = await buildGiftCard(ctx);
  const cases = [
    ['refused', 'upstream_failed', 'payment_provider_error'],
    ['denied', 'unavailable', 'payment_provider_not_configured'],
    ['busy', 'unavailable', 'payment_provider_unavailable'],
  ] as const;
  for (const [failure, kind, code] of cases) {
    payments.misfortunes.createSession = [{ failure }];
    const error = await errorOf(t, buy(ctx, product, { promo_code: promo.code, gift_card_code: card.code }));
    t.like(error, { kind, code });
    t.is(error.retryAfterSeconds !== undefined, failure === 'busy');
  }
  t.deepEqual(
    (await ordersOf(ctx)).map(({ status }) => status),
    ['canceled', 'canceled', 'canceled'],
  );
  t.like(await stockOf(ctx, product.variant.id), { stock: 100, held: 0 });
  t.deepEqual(await usesOf(ctx, promo.id), { held: 0, used: 0 });
  t.deepEqual(await balanceOf(ctx, card.id), { balance: 5000, held: 0 });
});

test.serial('createCheckoutSession keeps the holds while the outcome at the provider is unknown', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  payments.misfortunes.createSession = [{ failure: 'away', after: true }];
  const error = await errorOf(t, buy(ctx, product));
  t.like(error, { kind: 'unavailable', code: 'payment_provider_unavailable' });
  t.truthy(error.retryAfterSeconds);
  const [order] = await ordersOf(ctx);
  t.is(order?.status, 'pending');
  t.deepEqual(await holdsOf(ctx, order?.id ?? ''), ['stock: held']);
});

test.serial('createCheckoutSession continues the order of a repeated request', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const request = () =>
    createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 1 }] }, { requestKey: 'idem_1' });
  payments.misfortunes.createSession = [{ failure: 'away', after: true }];
  await errorOf(t, request());
  const second = await request();
  const third = await request();
  t.is(third.order_id, second.order_id);
  t.is(third.checkout_url, second.checkout_url);
  t.is((await ordersOf(ctx)).length, 1);
  t.is([...payments.sessions.values()].filter(({ orderId }) => orderId === second.order_id).length, 1);
  t.like(await sessionOf(ctx, second.order_id), { state: 'open' });
});

test.serial('createCheckoutSession keeps the holds when only the repeat of a request is rejected', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const request = () =>
    createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 1 }] }, { requestKey: 'idem_3' });
  payments.misfortunes.createSession = [{ failure: 'away', after: true }, { failure: 'busy' }, { failure: 'denied' }];
  for (const code of [
    'payment_provider_unavailable',
    'payment_provider_unavailable',
    'payment_provider_not_configured',
  ]) {
    t.is((await errorOf(t, request())).code, code);
    t.deepEqual(
      (await ordersOf(ctx)).map(({ status }) => status),
      ['pending'],
    );
  }
  t.like(await stockOf(ctx, product.variant.id), { held: 1 });
  await request();
  t.is((await ordersOf(ctx)).length, 1);
});

test.serial('createCheckoutSession begins a new order for a request repeated after its order was closed', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const request = () =>
    createCheckoutSession(ctx, { items: [{ product_slug: product.slug, quantity: 1 }] }, { requestKey: 'idem_2' });
  const first = await request();
  payments.change(payments.sessionOf(first.order_id).sessionId, { state: 'expired' });
  await checkSession(ctx, { orderId: first.order_id, number: 1 });
  t.not((await request()).order_id, first.order_id);
});

test.serial("createCheckoutSession counts the shipping line among the provider's maximum of lines", async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  await buildShippingAccount(ctx, { options: [{ name: 'Standard', amount_cents: 599 }] });
  const beans = await buildProduct(ctx, coffee);
  const bowl = { product_slug: (await buildProduct(ctx)).slug, quantity: 1 };
  const twenty = <Item>(item: Item) => Array.from({ length: 20 }, () => item);
  const { order_id } = await createCheckoutSession(ctx, { items: twenty(subscriptionLine(beans)) });
  t.like(payments.requests.get(`checkout:${order_id}`)?.lines.at(-1), { productId: 'shipping', interval: null });
  const full = { items: [...twenty(subscriptionLine(beans)), ...twenty(bowl)] };
  t.is((await errorOf(t, createCheckoutSession(ctx, full))).code, 'too_many_items');
  const [tea, gift] = [
    await buildProduct(ctx, { ...coffee, variants: [{ ships: false, subscription_price_cents: 900 }] }),
    await buildProduct(ctx, { variants: [{ ships: false }] }),
  ];
  const unsent = [...twenty(subscriptionLine(tea)), ...twenty({ product_slug: gift.slug, quantity: 1 })];
  await t.notThrowsAsync(createCheckoutSession(ctx, { items: unsent }));
});

test.serial('createCheckoutSession creates another customer for one that was deleted at the provider', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const beans = await buildProduct(ctx, coffee);
  payments.misfortunes.createSession = [{ failure: 'missing', code: 'resource_missing' }];
  const { order_id } = await createCheckoutSession(ctx, {
    items: [subscriptionLine(beans)],
    customer_email: 'ada@example.com',
  });
  t.is(payments.calls.filter((call) => call === 'findOrCreateCustomer').length, 2);
  t.is(payments.requests.get(`checkout:${order_id}`)?.customerId, 'cus_of_ada@example.com');
  t.deepEqual(
    (await ordersOf(ctx)).map(({ status }) => status),
    ['canceled', 'pending'],
  );
});

test.serial('createCheckoutSession of a one-time purchase uses no known customer', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const { order_id } = await buy(ctx, product, { customer_email: 'ada@example.com' });
  t.like(payments.requests.get(`checkout:${order_id}`), { customerId: null, customerEmail: 'ada@example.com' });
});

test.serial('createCheckoutSession links the order to the customer with the same email', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const id = newId('cus');
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    insert into customers (tenant_id, id, email, created_at)
    values (${ctx.tenant.id}, ${id}, 'ada@example.com', ${ctx.clock.now()})`),
  );
  const { order_id } = await buy(ctx, product, { customer_email: 'Ada@example.com' });
  t.is((await orderOf(ctx, order_id)).customerId, id);
});

test.serial(
  "createCheckoutSession and the previews agree on what is held, and a shopper's own checkout is not in the way",
  async (t) => {
    const { ctx } = t.context;
    await buildPaymentAccount(ctx);
    const product = await buildProduct(ctx, { variants: [{ sku: 'S', price_cents: 3800, stock: 10 }] });
    const promo = await buildPromo(ctx, { usage_limit: 1, per_customer_limit: 1 });
    const card = await buildGiftCard(ctx, { balanceCents: 1000 });
    const codes = { promo_code: promo.code, gift_card_code: card.code };
    const preview = async (customerEmail?: string) => [
      (await quotePromo(ctx, { code: promo.code, currency: 'USD', subtotalCents: 3800, customerEmail })).reason,
      (await quoteGiftCard(ctx, { code: card.code, orderTotalCents: 3800, customerEmail })).reason,
    ];
    for (let time = 0; time < 2; time += 1) await buy(ctx, product, { ...codes, customer_email: 'ada@example.com' });
    t.deepEqual(await preview('ada@example.com'), [null, null]);
    for (const other of [undefined, 'grace@example.com']) {
      t.deepEqual(await preview(other), ['usage_limit', 'in_use']);
      const more = other ? { customer_email: other } : {};
      t.is(
        (await errorOf(t, buy(ctx, product, { promo_code: promo.code, ...more }))).extensions['reason'],
        'usage_limit',
      );
      t.is(
        (await errorOf(t, buy(ctx, product, { gift_card_code: card.code, ...more }))).extensions['reason'],
        'in_use',
      );
    }
    t.deepEqual(await usesOf(ctx, promo.id), { held: 1, used: 0 });
  },
);

test.serial("quotePromo counts a shopper's use in another cart, also where this one holds another's", async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const product = await buildProduct(ctx);
  const promo = await buildPromo(ctx, { per_customer_limit: 1 });
  const carts = { ada: newId('cart'), grace: newId('cart') };
  for (const name of ['ada', 'grace'] as const)
    await buy(ctx, product, {
      promo_code: promo.code,
      cart_id: carts[name],
      customer_email: `${name}@example.com`,
    });
  const reasonIn = async (cartId: string) => {
    const given = { code: promo.code, currency: 'USD', subtotalCents: 3800, cartId };
    return (await quotePromo(ctx, { ...given, customerEmail: 'ada@example.com' })).reason;
  };
  t.is(await reasonIn(carts.ada), null);
  t.is(await reasonIn(carts.grace), 'customer_limit');
});

const variants = Array.from({ length: 4 }, () => ({ productId: newId('prod'), variantId: newId('var') }));

const line = fc.record({
  variant: fc.constantFrom(...variants),
  quantity: fc.integer({ min: 1, max: 20 }),
  unitPriceCents: fc.oneof(
    { weight: 9, arbitrary: fc.integer({ min: 0, max: 100_000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 0, max: centsMax }) },
  ),
  ships: fc.boolean(),
  recurs: fc.boolean(),
});

interface Given {
  lines: {
    variant: { productId: string; variantId: string };
    quantity: number;
    unitPriceCents: number;
    ships: boolean;
    recurs: boolean;
  }[];
  discountPercent: number;
  giftCents: number;
  freeShipping: boolean;
  options: { name: string; amountCents: number; freeOverCents: number | null }[];
}

const option = fc.record({
  name: fc.constant('Standard'),
  amountCents: fc.integer({ min: 0, max: 5000 }),
  freeOverCents: fc.option(fc.integer({ min: 0, max: 50_000 })),
});

const quotes: fc.Arbitrary<Given> = fc.record({
  lines: fc.array(line, { minLength: 1, maxLength: 10 }),
  discountPercent: fc.integer({ min: 0, max: 100 }),
  giftCents: fc.integer({ min: 0, max: 500_000 }),
  freeShipping: fc.boolean(),
  options: fc.array(option, { maxLength: 3 }),
});

function quoteOf(given: Given): CheckoutQuote {
  const lines = given.lines.map(
    ({ variant, quantity, unitPriceCents, ships, recurs }): PricedLine => ({
      ...variant,
      productSlug: 'bowl',
      productName: 'Bowl',
      variantNamed: recurs,
      variantName: 'Small',
      sku: 'B',
      quantity,
      unitPriceCents,
      purchaseType: recurs ? 'subscription' : 'one_time',
      interval: recurs ? 'month' : null,
      weightOz: 1,
      ships,
      imageUrl: null,
      options: {},
    }),
  );
  const totals = lines.map((line) => line.unitPriceCents * line.quantity);
  const subtotalCents = totals.reduce((sum, total) => sum + total, 0);
  const discountCents = Math.floor((subtotalCents * given.discountPercent) / 100);
  const appliedCents = Math.min(given.giftCents, subtotalCents - discountCents);
  return {
    lines,
    subtotalCents,
    ships: lines.some((line) => line.ships),
    discount: {
      name: 'P',
      promo: { promoId: 'promo_1', code: 'P' },
      discountCents,
      lineDiscountsCents: spread(discountCents, totals),
      freeShipping: given.freeShipping,
    },
    giftCard: {
      valid: true,
      giftCardId: 'gift_1',
      last4: 'ABCD',
      currency: 'USD',
      balanceCents: given.giftCents,
      appliedCents,
      remainingDueCents: 0,
      reason: null,
    },
  };
}

test('planOrder requests the amounts of the order, for any purchase that can be charged', (t) => {
  const { ctx } = t.context;
  t.notThrows(() =>
    fc.assert(
      fc.property(quotes, (given) => {
        const quote = quoteOf(given);
        let plan: ReturnType<typeof planOrder>;
        try {
          const shipping = { countries: ['US'], options: given.options };
          plan = planOrder(ctx, {}, quote, { sessionLifetimeMs: hours(1), automaticTax: false, shipping }, null);
        } catch (error) {
          return error instanceof DomainError && ['amount_too_small', 'invalid_request'].includes(error.code);
        }
        const { order, request } = plan;
        const charged =
          request.lines.reduce((sum, line) => sum + line.unitPriceCents * line.quantity, 0) - request.discountCents;
        const items = order.items.reduce(
          (sum, item) => sum + item.unitPriceCents * item.quantity - item.discountCents,
          0,
        );
        const held = order.holds
          .filter(({ kind }) => kind === 'stock')
          .reduce((sum, { quantity }) => sum + quantity, 0);
        const subjects = order.holds.map(({ kind, subjectId }) => `${kind} ${subjectId}`);
        return (
          charged === order.totalCents &&
          charged + Math.max(0, ...(request.shipping?.options ?? []).map(({ amountCents }) => amountCents)) <=
            centsMax &&
          items === order.subtotalCents - order.discountCents &&
          order.totalCents >= 0 &&
          held === quote.lines.reduce((sum, { quantity }) => sum + quantity, 0) &&
          new Set(subjects).size === subjects.length &&
          (request.mode === 'subscription' || order.shippingCents === 0)
        );
      }),
    ),
  );
});

const plain = { quantity: 1, unitPriceCents: 1000, ships: true, recurs: false };
const planOf = (ctx: Context, given: Partial<Given>, sessionLifetimeMs = hours(1), input = {}) => {
  const [variant = { productId: '', variantId: '' }] = variants;
  const quote = quoteOf({
    lines: [{ ...plain, variant }],
    discountPercent: 0,
    giftCents: 0,
    freeShipping: false,
    options: [],
    ...given,
  });
  const shipping = { countries: ['US'], options: given.options ?? [] };
  return planOrder(ctx, input, quote, { sessionLifetimeMs, automaticTax: false, shipping }, null);
};

test('planOrder accepts the least that can be charged, with the cheapest shipping', (t) => {
  const { ctx } = t.context;
  const [variant = { productId: '', variantId: '' }] = variants;
  const at =
    (unitPriceCents: number, ...amounts: number[]) =>
    () =>
      planOf(ctx, {
        lines: [{ ...plain, variant, unitPriceCents }],
        options: amounts.map((amountCents) => ({ name: 'Standard', amountCents, freeOverCents: null })),
      });
  const tooSmall = { code: 'amount_too_small' };
  t.notThrows(at(50));
  t.throws(at(49), tooSmall);
  t.notThrows(at(20, 30, 900));
  t.throws(at(20, 29, 900), tooSmall);
  t.throws(at(20, 900, 29), tooSmall);
});

test('planOrder makes only the cheapest shipping free, wherever it stands', (t) => {
  const options = [900, 300, 600].map((amountCents) => ({ name: 'Standard', amountCents, freeOverCents: null }));
  const { request } = planOf(t.context.ctx, { freeShipping: true, options });
  t.deepEqual(
    request.shipping?.options.map(({ amountCents }) => amountCents),
    [900, 0, 600],
  );
});

test('planOrder holds goods as long as the store wants, and cancels to the store', (t) => {
  const { ctx } = t.context;
  const return_url = `${ctx.tenant.storefrontUrl}/thanks`;
  const { order, request, expiresAt } = planOf(ctx, {}, minutes(10), { return_url });
  t.deepEqual(order.holdsExpireAt, expiresAt);
  t.true(order.holdsExpireAt.getTime() < request.expiresAt * 1000 - minutes(30));
  t.regex(request.returnUrl, /thanks/);
  t.notRegex(request.cancelUrl, /thanks/);
});
