import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { savePastOrders } from '#src/domain/orders/index.ts';
import { savePaymentAccount } from '#src/domain/payments/index.ts';
import { newId } from '#src/lib/ids.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaymentAccount, ordersOf, sessionOf } from '#test/support/factories/payments.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { resultOf } from '#test/support/use-owner.ts';
import { type StripeContext, shopper, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

const path = '/api/v1/checkout/sessions';

const coffee = {
  name: 'Coffee',
  purchase_types: ['one_time' as const, 'subscription' as const],
  subscription_intervals: ['month' as const],
};

async function open({ ctx, api }: StripeContext) {
  const key = await buildKey(ctx, ['checkout:write'], 'publishable');
  const product = await buildProduct(ctx);
  const post = (body: object, headers: Record<string, string> = {}) => api.call('POST', path, { key, body, headers });
  return { key, product, post, items: [{ product_slug: product.slug, quantity: 1 }] };
}

test.serial('POST /checkout/sessions returns both documented shapes, and the status follows the payment', async (t) => {
  const { api, stripe, ctx, tenant, services } = t.context;
  const { post, items } = await open(t.context);
  const { status, body, headers } = await post({ items, customer_email: 'ada@example.com' });
  t.is(status, 200);
  t.is(headers.get('cache-control'), 'no-store');
  t.regex(body.checkout_url, /^http/);
  t.deepEqual(body.order, {
    id: body.order_id,
    order_number: body.order_number,
    status: 'pending',
    currency: 'USD',
    total_cents: 3800,
  });
  t.regex(body.order_number, /^ORD-[0-9]+$/);

  const request = () => api.call('GET', `/api/v1/checkout/${body.order_id}/status`, { tenant: tenant.slug });
  t.like((await request()).body, {
    order_id: body.order_id,
    status: 'pending',
    payment_status: 'unpaid',
    paid_at: null,
    tracking: [],
  });
  await stripe.pay((await sessionOf(ctx, body.order_id)).sessionId ?? '', { ...shopper, outcome: 'paid' });
  t.true(await stripe.idle());
  await runJobs(services);
  const paid = (await request()).body;
  t.like(paid, { status: 'paid', payment_status: 'paid' });
  t.regex(paid.paid_at, /Z$/);
});

test.serial('POST /checkout/sessions of an ordinary cart executes few statements', async (t) => {
  const { services } = t.context;
  const { post, items } = await open(t.context);
  await post({ items });
  const { statements } = await countStatements(services, () => post({ items, customer_email: 'ada@example.com' }));
  t.true(statements.length <= 14, `${statements.length} statements`);
});

test.serial('POST /checkout/sessions rejects invalid input with its code and path', async (t) => {
  const { post, items, product } = await open(t.context);
  const [item] = items;
  const rejectionOf = async (body: object) => {
    const response = await post(body);
    return [response.status, response.body.error, response.body.errors?.[0]?.path];
  };
  t.deepEqual(await rejectionOf({}), [400, 'invalid_request', '/items']);
  t.deepEqual(await rejectionOf({ items: [] }), [400, 'invalid_request', '/items']);
  t.deepEqual(await rejectionOf({ items: [{ ...item, quantity: '1' }] }), [
    400,
    'invalid_request',
    '/items/0/quantity',
  ]);
  t.deepEqual(await rejectionOf({ items: [{ ...item, quantity: 0 }] }), [400, 'invalid_request', '/items/0/quantity']);
  t.deepEqual(
    await rejectionOf({
      items: [
        { product_slug: product.slug, variant_id: product.variant.id, quantity: 1, purchase_type: 'subscription' },
      ],
    }),
    [400, 'invalid_request', '/items/0/subscription_interval'],
  );
  t.deepEqual(await rejectionOf({ items: [{ product_slug: 'none', quantity: 1 }] }), [
    400,
    'unknown_product',
    '/items/0/product_slug',
  ]);
  t.deepEqual(await rejectionOf({ items, return_url: 'javascript:alert(1)' }), [400, 'invalid_request', '/return_url']);
  t.deepEqual(await rejectionOf({ items, customer_email: 'nobody' }), [400, 'invalid_request', '/customer_email']);
  for (const subscription_interval of ['whenever', 'x'.repeat(101), 0, false, {}])
    t.is((await post({ items: [{ ...item, subscription_interval }] })).status, 200, String(subscription_interval));
});

test.serial('checkout ignores an unknown cart and a cart of another store', async (t) => {
  const { api, ctx, stripe, services, tenant } = t.context;
  const { post, items } = await open(t.context);
  t.is((await post({ items, cart_id: 'cart_1' })).body.errors?.[0]?.path, '/cart_id');
  const other = { ...services.context(), tenant: await buildTenant(services) };
  const {
    body: { cart },
  } = await api.call('POST', '/api/v1/cart', { tenant: other.tenant.slug, body: {} });
  const orders = [];
  for (const cart_id of [newId('cart'), cart.id, cart.id]) {
    const { status, body } = await post({ items, cart_id });
    t.is(status, 200);
    orders.push(body.order_id);
  }
  await stripe.pay((await sessionOf(ctx, orders[2])).sessionId ?? '', { ...shopper, outcome: 'paid' });
  t.true(await stripe.idle());
  await runJobs(services);
  t.deepEqual(
    (await ordersOf(ctx)).map(({ status }) => status),
    ['pending', 'expired', 'paid'],
    'the newer session of a cart takes the place of the older',
  );
  t.is((await api.call('GET', `/api/v1/cart/${cart.id}`, { tenant: other.tenant.slug })).body.cart.status, 'active');
  t.is((await api.call('GET', `/api/v1/cart/${cart.id}`, { tenant: tenant.slug })).status, 404);
});

test.serial('checkout rejects a duplicate subscription as documented, without a call to the provider', async (t) => {
  const { ctx, stripe } = t.context;
  const { post } = await open(t.context);
  const beans = await buildProduct(ctx, coffee);
  const { paymentSubscriptionId } = await buildSubscription(ctx, { productId: beans.id, email: 'ada@example.com' });
  const requestCount = (await stripe.requests()).length;
  const { status, body } = await post({
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
  });
  t.is(status, 409);
  t.is(body.error, 'duplicate_subscription');
  t.is(typeof body.detail, 'string');
  t.deepEqual(body.conflicts, [
    { product_id: beans.id, product_name: 'Coffee', payment_subscription_id: paymentSubscriptionId },
  ]);
  t.is((await stripe.requests()).length, requestCount);
});

test.serial('POST /checkout/sessions without enough stock returns 409 with the available quantity', async (t) => {
  const { ctx } = t.context;
  const { post } = await open(t.context);
  const scarce = await buildProduct(ctx, { variants: [{ stock: 1 }] });
  const { status, body } = await post({ items: [{ product_slug: scarce.slug, quantity: 2 }] });
  t.is(status, 409);
  t.like(body, {
    error: 'insufficient_stock',
    items: only({ variant_id: scarce.variant.id, requested: 2, available: 1 }),
  });
});

test.serial('checkout distinguishes a provider that is away, refuses or is not configured', async (t) => {
  const { ctx, stripe, account } = t.context;
  const { post, items } = await open(t.context);
  const fault = (status: number, times = 1) =>
    stripe.addFault({ match: 'POST /v1/checkout/sessions', account: account.secretKey, kind: 'status', status, times });
  await fault(503, 2);
  const away = await post({ items });
  t.is(away.status, 503);
  t.is(away.body.error, 'payment_provider_unavailable');
  t.is(Number(away.headers.get('retry-after')), away.body.retry_after);
  await fault(429);
  t.is((await post({ items })).body.error, 'payment_provider_unavailable');
  await fault(400);
  t.deepEqual([(await post({ items })).status, (await ordersOf(ctx)).at(-1)?.status], [502, 'canceled']);
  await fault(401);
  t.is((await post({ items })).body.error, 'payment_provider_not_configured');
  await transact(ctx, (ctx) =>
    savePaymentAccount(ctx, { provider: 'stripe', mode: 'connect', account_id: 'acct_1', automatic_tax: false }),
  );
  const connect = await post({ items });
  t.deepEqual([connect.status, connect.body.error], [503, 'payment_provider_not_configured']);
});

test.serial(
  'POST /checkout/sessions with an Idempotency-Key creates one order, repeated at once or after a failure',
  async (t) => {
    const { ctx, stripe, account } = t.context;
    const { post, items } = await open(t.context);
    const headers = { 'idempotency-key': 'once' };
    const responses = await Promise.all([post({ items }, headers), post({ items }, headers)]);
    t.true(responses.some(({ status }) => status === 200));
    const again = await post({ items }, headers);
    t.is(again.headers.get('idempotent-replayed'), 'true');
    t.is((await ordersOf(ctx)).length, 1);

    await stripe.addFault({
      match: 'POST /v1/checkout/sessions',
      account: account.secretKey,
      kind: 'reset_after',
      times: 4,
    });
    const failed = await post({ items }, { 'idempotency-key': 'twice' });
    await stripe.clearFaults();
    const retried = failed.status === 200 ? failed : await post({ items }, { 'idempotency-key': 'twice' });
    t.is(retried.status, 200);
    t.is((await ordersOf(ctx)).length, 2);
    t.is((await stripe.account(account.secretKey)).sessions.length, 2);
  },
);

test.serial("GET /checkout/:orderId/status returns 404 for another store's order and an unknown one", async (t) => {
  const { api, services, tenant } = t.context;
  const { post, items } = await open(t.context);
  const { body } = await post({ items });
  const other = await buildTenant(services);
  for (const [id, { slug }] of [
    [body.order_id, other],
    [newId('ord'), tenant],
    ['nonsense', tenant],
  ])
    t.is(resultOf(await api.call('GET', `/api/v1/checkout/${id}/status`, { tenant: slug })), '404 not_found', id);
});

test.serial('GET /orders/:orderId requires the email of the order, or a secret key', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { post, items } = await open(t.context);
  const { body } = await post({ items, customer_email: 'Ada@example.com' });
  const own = await buildKey(ctx, ['orders:read']);
  const get = (query: string, as: object) => api.call('GET', `/api/v1/orders/${query}`, as);
  const other = { tenant: tenant.slug };
  t.is((await get(body.order_id, other)).status, 404);
  for (const email of ['bob@example.com', 'trusted', 'undefined', 'null', '', '*'])
    t.is((await get(`${body.order_id}?email=${email}`, other)).status, 404, email);
  const { status, body: shown } = await get(`${body.order_id}?email=ada@example.com`, other);
  t.is(status, 200);
  t.like(shown.order, {
    id: body.order_id,
    status: 'pending',
    customer: { id: null, email: 'ada@example.com' },
    labels: [],
    shipping_address: null,
  });
  t.like(shown.order.items[0], {
    product_slug: items[0]?.product_slug,
    quantity: 1,
    unit_price_cents: 3800,
    purchase_type: 'one_time',
    subscription_interval: null,
  });
  t.is((await get(body.order_id, { key: own })).status, 200);
  t.is((await get(`lookup?order_number=${body.order_number.toLowerCase()}&email=ADA@example.com`, other)).status, 200);
  const [wrongNumber, wrongAddress] = [
    await get('lookup?order_number=ORD-1&email=ada@example.com', other),
    await get(`lookup?order_number=${body.order_number}&email=bob@example.com`, other),
  ];
  t.deepEqual([wrongNumber.status, wrongNumber.body.detail], [wrongAddress.status, wrongAddress.body.detail]);
});

test.serial('GET /orders/lookup finds an order by its number as shoppers write it, and an imported one', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { post, items } = await open(t.context);
  const { body } = await post({ items, customer_email: 'ada@example.com' });
  const digits = body.order_number.replace('ORD-', '');
  const imported = {
    created_at: '2024-03-01T10:00:00Z',
    items: [{ name: 'Bowl', quantity: 1, unit_price_cents: 1000 }],
  };
  const long = `OLD-${'7'.repeat(46)}`;
  await transact(ctx, (ctx) =>
    savePastOrders(
      ctx,
      [`#${digits}`, long].map((number) => ({ ...imported, order_number: number, email: 'bob@example.com' })),
    ),
  );
  const find = async (number: string, email: string) => {
    const query = new URLSearchParams({ order_number: number, email });
    const found = await api.call('GET', `/api/v1/orders/lookup?${query}`, { tenant: tenant.slug });
    return found.body.order?.order_number;
  };
  const arabic = new Intl.NumberFormat('ar-EG', { useGrouping: false }).format(Number(digits));
  const spellings = [digits, `#${digits}`, `#ORD-${digits}`, ` ord-${digits} `, `ORD ${digits}`, `# ${digits}`];
  for (const typed of [...spellings, `ＯＲＤ－${arabic}`, `\u200f${arabic}`]) {
    t.is(await find(typed, ' Ada@example.com'), body.order_number, typed);
    t.is(await find(typed, 'eve@example.com'), undefined, typed);
  }
  for (const typed of [digits, `#${digits}`, `# ${digits}`, `＃${arabic}`, ` \u200f#${arabic}`])
    t.is(await find(typed, 'bob@example.com'), `#${digits}`, typed);
  for (const typed of [long, long.replace('OLD-', 'ｏｌｄー')]) t.is(await find(typed, 'bob@example.com'), long, typed);
});

test.serial('an order is found by an email whose plus sign was not escaped in the URL', async (t) => {
  const { api, tenant } = t.context;
  const { post, items } = await open(t.context);
  const { body } = await post({ items, customer_email: 'ada+shop@example.com' });
  for (const path of [`lookup?order_number=${body.order_number}&`, `${body.order_id}?`])
    for (const email of [
      'ada+shop@example.com',
      'ada%2Bshop@example.com',
      '+Ada+Shop@example.com+',
      'ada%20shop@example.com',
    ])
      t.is((await api.call('GET', `/api/v1/orders/${path}email=${email}`, { tenant: tenant.slug })).status, 200, email);
});

test.serial('GET /subscriptions/{id} returns a subscription only to keys of its own store', async (t) => {
  const { api, ctx, services } = t.context;
  const { id, paymentSubscriptionId } = await buildSubscription(ctx, { email: 'ada@example.com' });
  const own = await buildKey(ctx, ['subscriptions:read']);
  const { status, body } = await api.call('GET', `/api/v1/subscriptions/${id}`, { key: own });
  t.is(status, 200);
  t.like(body.subscription, {
    id,
    payment_subscription_id: paymentSubscriptionId,
    status: 'active',
    interval: 'month',
    variant_id: null,
    customer: { id: null, email: 'ada@example.com' },
  });

  const other = await buildKey({ ...ctx, tenant: await buildTenant(services) }, ['subscriptions:write']);
  t.is((await api.call('GET', `/api/v1/subscriptions/${id}`, { key: other })).status, 404);
  t.is((await api.call('POST', `/api/v1/subscriptions/${id}/reactivate`, { key: other })).status, 404);
  t.is((await api.call('POST', `/api/v1/subscriptions/${id}/reactivate`, { key: own })).status, 403);
  t.is((await api.call('GET', `/api/v1/subscriptions/${id}`)).status, 401);
});

test.serial('POST /subscriptions/{id}/manage rejects an ended subscription and an impossible change', async (t) => {
  const { api, ctx, services } = t.context;
  const key = await buildKey(ctx, ['subscriptions:write']);
  const ended = await buildSubscription(ctx, { status: 'canceled' });
  const manage = (id: string, body: object) => api.call('POST', `/api/v1/subscriptions/${id}/manage`, { key, body });
  const refused = await manage(ended.id, { action: 'resume' });
  t.deepEqual([refused.status, refused.body.error], [409, 'subscription_canceled']);
  t.is((await api.call('POST', `/api/v1/subscriptions/${ended.id}/reactivate`, { key })).status, 409);
  t.is((await manage(ended.id, { action: 'change_interval' })).body.errors[0].path, '/subscription_interval');
  t.is((await manage(ended.id, { action: 'dance' })).status, 400);
  t.is(
    resultOf(await manage(ended.id, { action: 'change_interval', subscription_interval: null })),
    '400 invalid_request',
  );
  const unsaid = await manage(ended.id, {});
  t.deepEqual(
    unsaid.body.errors.map(({ path }: { path: string }) => path),
    ['/action'],
  );

  const ownerKey = await buildKey(ctx, ['admin.orders:write']);
  const asOwner = (path: string, body?: object) =>
    api.call('POST', `/api/v1/admin/subscriptions/${ended.id}/${path}`, { key: ownerKey, ...(body && { body }) });
  t.is((await asOwner('manage', { action: 'resume' })).body.error, 'subscription_canceled');
  t.is((await asOwner('reactivate')).body.error, 'subscription_canceled');

  const running = await buildSubscription(ctx, { productId: (await buildProduct(ctx)).id });
  const quarterly = { action: 'change_interval', subscription_interval: 'quarter' };
  const unsold = {
    status: 400,
    body: { error: 'price_unavailable', errors: only({ path: '/subscription_interval' }) },
  };
  t.like(await manage(running.id, quarterly), unsold);
  const byOwner = { key: ownerKey, body: quarterly };
  t.like(await api.call('POST', `/api/v1/admin/subscriptions/${running.id}/manage`, byOwner), unsold);

  const otherKey = await buildKey({ ...ctx, tenant: await buildTenant(services) }, ['admin.orders:write']);
  const elsewhere = await api.call('POST', `/api/v1/admin/subscriptions/${ended.id}/manage`, {
    key: otherKey,
    body: { action: 'pause' },
  });
  t.is(elsewhere.body.error, 'not_found');
});

test.serial(
  'POST /subscriptions/gift-checkout sells months as a gift, and POST /billing-portal finds no unknown customer',
  async (t) => {
    const { api, ctx, tenant } = t.context;
    const key = await buildKey(ctx, ['checkout:write']);
    const beans = await buildProduct(ctx, {
      purchase_types: ['one_time', 'subscription'],
      subscription_intervals: ['month'],
    });
    const gift = {
      product_slug: beans.slug,
      variant_id: beans.variant.id,
      months: 2,
      recipient_email: 'grace@example.com',
    };
    const { status, body } = await api.call('POST', '/api/v1/subscriptions/gift-checkout', { key, body: gift });
    t.is(status, 200);
    t.is(body.order.total_cents, 6800);
    t.is(
      (await api.call('POST', '/api/v1/subscriptions/gift-checkout', { key, body: { ...gift, months: 13 } })).status,
      400,
    );

    const portal = (customer_email: string) =>
      api.call('POST', '/api/v1/billing-portal', {
        tenant: tenant.slug,
        body: { customer_email, return_url: `${tenant.storefrontUrl}/` },
      });
    const unknown = await portal('nobody@example.com');
    t.deepEqual([unknown.status, unknown.body.error], [404, 'customer_not_found']);
  },
);

for (const currency of ['COP', 'HUF', 'IDR', 'USD']) {
  test.serial(`an order of fifty million ${currency} is charged at once`, async (t) => {
    const { api, services, stripe, account } = t.context;
    const ctx = { ...t.context.ctx, tenant: await buildTenant(services, { currency }) };
    await buildPaymentAccount(ctx, { secret_key: account.secretKey, webhook_secret: account.webhookSecret });
    const key = await buildKey(ctx, ['admin.catalog:write', 'checkout:write']);
    const product = {
      slug: 'laptop',
      name: 'Laptop',
      status: 'published',
      variants: [{ sku: 'LAPTOP', price_cents: 2_500_000_000 }],
    };
    t.is((await api.call('POST', '/api/v1/admin/products', { key, body: product })).status, 201);
    const items = [{ product_slug: 'laptop', quantity: 2 }];
    const { status, body } = await api.call('POST', path, { key, body: { items } });
    t.is(status, 200);
    t.is(body.order.total_cents, 5_000_000_000);
    const { sessionId } = await sessionOf(ctx, body.order_id);
    const { sessions } = await stripe.account(account.secretKey);
    t.is(sessions.find(({ id }) => id === sessionId)?.amount_total, 5_000_000_000);

    const tooMany = { items: [{ product_slug: 'laptop', quantity: 4 }] };
    t.like(await api.call('POST', path, { key, body: tooMany }), { status: 400, body: { error: 'invalid_request' } });
  });
}
