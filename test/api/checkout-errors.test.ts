import anyTest, { type TestFn } from 'ava';

import { replyToError } from '#src/api/lib/reply-to-error.ts';
import { routes } from '#src/api/routes.ts';
import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { takeOrderNumber } from '#src/domain/orders/index.ts';
import { savePaymentAccount } from '#src/domain/payments/index.ts';
import { setModules } from '#src/domain/tenants/index.ts';
import { sql } from '#src/lib/sql.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { buildProduct, type GivenProduct } from '#test/support/factories/catalog.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildPromo } from '#test/support/factories/promotions.ts';
import { bearer, buildSession } from '#test/support/factories/sessions.ts';
import { buildSubscription, snapshotOf } from '#test/support/factories/subscriptions.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';
import { resultOf } from '#test/support/use-owner.ts';

/*
 * What a checkout rejects before the shopper is sent to pay, with its code, and what callers get when the payment
 * provider, here a fake, fails on a route that calls it.
 */
const test = anyTest as TestFn<ApiContext>;
const payments = fakePaymentGateway();
useApi(test, { ports: { payments } });

const coffee = {
  name: 'Coffee',
  purchase_types: ['one_time', 'subscription'],
  subscription_intervals: ['month', 'quarter'],
} satisfies GivenProduct;

async function counter({ api, ctx }: Pick<ApiContext, 'api' | 'ctx'>) {
  await buildPaymentAccount(ctx);
  const key = await buildKey(ctx, ['checkout:write']);
  const request = (path: string) => (body: object) => api.call('POST', `/api/v1${path}`, { key, body });
  return { checkout: request('/checkout/sessions'), gift: request('/subscriptions/gift-checkout') };
}

const failures = [
  ['away', '503 payment_provider_unavailable'],
  ['busy', '503 payment_provider_unavailable'],
  ['denied', '503 payment_provider_not_configured'],
  ['refused', '502 payment_provider_error'],
] as const;

test('checkout rejects a missing variant of several, and a kind of purchase that is not for sale', async (t) => {
  const { ctx } = t.context;
  const { checkout, gift } = await counter(t.context);
  const mugs = await buildProduct(ctx, { variants: [{}, { sku: 'MUG-2' }] });
  const beans = await buildProduct(ctx, coffee);
  const bowl = await buildProduct(ctx);
  const monthly = { purchase_type: 'subscription', subscription_interval: 'month', quantity: 1 };
  t.is(resultOf(await checkout({ items: [{ product_slug: mugs.slug, quantity: 1 }] })), '400 variant_required');
  const unnamed = await checkout({ items: [{ product_slug: beans.slug, ...monthly }] });
  t.is(resultOf(unnamed), '400 variant_required', 'a subscription line always names its variant');
  t.is(unnamed.body.detail, 'The variant must be named: this product has several, or is bought by subscription.');
  t.is(unnamed.body.errors[0].path, '/items/0/variant_id');
  t.is(
    resultOf(await checkout({ items: [{ product_slug: bowl.slug, variant_id: bowl.variant.id, ...monthly }] })),
    '400 price_unavailable',
  );
  t.is(
    resultOf(
      await gift({
        product_slug: bowl.slug,
        variant_id: bowl.variant.id,
        months: 2,
        recipient_email: 'grace@example.com',
      }),
    ),
    '400 price_unavailable',
  );
  const unsaid = await gift({ product_slug: beans.slug, months: 2, recipient_email: 'grace@example.com' });
  t.deepEqual([resultOf(unsaid), unsaid.body.errors[0].path], ['400 invalid_request', '/variant_id']);
});

test('checkout rejects mixed subscription intervals, and more lines than the provider accepts', async (t) => {
  const { ctx } = t.context;
  const { checkout } = await counter(t.context);
  const beans = await buildProduct(ctx, coffee);
  const bowl = await buildProduct(ctx);
  const every = (subscription_interval: string) => ({
    product_slug: beans.slug,
    variant_id: beans.variant.id,
    quantity: 1,
    purchase_type: 'subscription',
    subscription_interval,
  });
  t.is(resultOf(await checkout({ items: [every('month'), every('quarter')] })), '400 mixed_intervals');
  const bowls = Array.from({ length: 21 }, () => ({ product_slug: bowl.slug, quantity: 1 }));
  t.is(resultOf(await checkout({ items: [every('month'), ...bowls] })), '400 too_many_items');
});

test('checkout rejects a promo code or gift card that does not apply with its reason', async (t) => {
  const { ctx } = t.context;
  const { checkout } = await counter(t.context);
  const bowl = await buildProduct(ctx);
  const items = [{ product_slug: bowl.slug, quantity: 1 }];
  const promo = await buildPromo(ctx, { min_subtotal_cents: 10_000 });
  const late = await checkout({ items, promo_code: promo.code });
  t.deepEqual([resultOf(late), late.body.reason], ['400 promo_not_applicable', 'minimum_not_met']);
  const unknown = await checkout({ items, gift_card_code: 'ABCD-EFGH-JKLM-NPQR' });
  t.is(resultOf(unknown), '400 gift_card_not_applicable');
  t.is(typeof unknown.body.reason, 'string');
});

test('checkout rejects products and codes of disabled modules', async (t) => {
  const { ctx, services, api } = t.context;
  const tenant = await buildTenant(services);
  const own = { ...ctx, tenant };
  await transact(own, (ctx) => setModules(ctx, { subscriptions: false, gift_cards: false }));
  const { checkout } = await counter({ api, ctx: own });
  const beans = await buildProduct(own, coffee);
  const line = { product_slug: beans.slug, variant_id: beans.variant.id, quantity: 1 };
  const monthly = { ...line, purchase_type: 'subscription', subscription_interval: 'month' };
  t.is(resultOf(await checkout({ items: [monthly] })), '403 module_disabled');
  t.is(resultOf(await checkout({ items: [line], gift_card_code: 'ABCD-EFGH-JKLM-NPQR' })), '403 module_disabled');
  t.is(resultOf(await checkout({ items: [line] })), '200');
});

test('a gift of what is not sold monthly is rejected with the path of a field that it has', async (t) => {
  const { ctx } = t.context;
  const { gift } = await counter(t.context);
  const [beans, bowl] = [await buildProduct(ctx, coffee), await buildProduct(ctx)];
  const rejected = async (slug: string, variantId: string) => {
    const response = await gift({
      product_slug: slug,
      variant_id: variantId,
      months: 3,
      recipient_email: 'grace@example.com',
    });
    return [resultOf(response), response.body.errors[0].path];
  };
  t.deepEqual(await rejected('nothing', beans.variant.id), ['400 unknown_product', '/product_slug']);
  t.deepEqual(await rejected(beans.slug, bowl.variant.id), ['400 unknown_product', '/variant_id']);
  t.deepEqual(await rejected(bowl.slug, bowl.variant.id), ['400 price_unavailable', '/product_slug']);
});

test('checkout returns 409 for too little stock, also for a gift', async (t) => {
  const { ctx } = t.context;
  const { gift } = await counter(t.context);
  const beans = await buildProduct(ctx, { ...coffee, variants: [{ stock: 1 }] });
  const given = {
    product_slug: beans.slug,
    variant_id: beans.variant.id,
    months: 12,
    recipient_email: 'grace@example.com',
  };
  t.is(resultOf(await gift(given)), '409 insufficient_stock');
});

const tooLarge = 'The total is more than can be charged at once in this currency.';

test.serial(
  'checkout distinguishes a provider that is unavailable, busy, denies or rejects, and an email or a total that it does not take',
  async (t) => {
    const { ctx } = t.context;
    const { checkout, gift } = await counter(t.context);
    const beans = await buildProduct(ctx, coffee);
    const buy = () => checkout({ items: [{ product_slug: beans.slug, quantity: 1 }] });
    const give = () =>
      gift({ product_slug: beans.slug, variant_id: beans.variant.id, months: 2, recipient_email: 'grace@example.com' });
    for (const [failure, expected] of failures) {
      for (const request of [buy, give]) {
        payments.misfortunes.createSession = [{ failure }];
        const response = await request();
        t.is(resultOf(response), expected, failure);
        const wait = response.headers.get('retry-after');
        t.is(wait, expected.endsWith('unavailable') ? String(response.body.retry_after) : null, failure);
      }
    }
    for (const request of [buy, give]) {
      payments.misfortunes.createSession = [{ failure: 'refused', code: 'amount_too_small' }];
      t.is(resultOf(await request()), '400 amount_too_small');
      payments.misfortunes.createSession = [{ failure: 'refused', code: 'amount_too_large' }];
      t.like(await request(), { status: 400, body: { error: 'invalid_request', detail: tooLarge } });
      payments.misfortunes.createSession = [{ failure: 'refused', code: 'email_invalid' }];
      const errors = only({ path: '/customer_email' });
      t.like(await request(), { status: 400, body: { error: 'invalid_request', errors } });
    }
  },
);

/** A subscription of Ada's that the provider knows, too. */
async function subscribed({ ctx }: ApiContext, cancelAtPeriodEnd = false) {
  const built = await buildSubscription(ctx, { email: 'ada@example.com' });
  payments.subscriptions.set(built.paymentSubscriptionId, snapshotOf(built.paymentSubscriptionId, cancelAtPeriodEnd));
  return built;
}

test.serial('POST /subscriptions/{id}/manage distinguishes the failures of the provider', async (t) => {
  const { api, ctx, services } = t.context;
  await buildPaymentAccount(ctx);
  const { id } = await subscribed(t.context);
  const key = await buildKey(ctx, ['subscriptions:write']);
  const ownerKey = await buildKey(ctx, ['admin.orders:write']);
  const asOwner = (path: string, body: object) =>
    api.call('POST', `/api/v1/admin/subscriptions/${id}/${path}`, { key: ownerKey, body });
  const headers = bearer((await buildSession(ctx, { email: 'ada@example.com' })).token);
  const operations = {
    manage: () => api.call('POST', `/api/v1/subscriptions/${id}/manage`, { key, body: { action: 'pause' } }),
    reactivate: () => api.call('POST', `/api/v1/subscriptions/${id}/reactivate`, { key }),
    'manage by the owner': () => asOwner('manage', { action: 'pause' }),
    'reactivate by the owner': () => asOwner('reactivate', {}),
    cancel: () => api.call('POST', '/api/v1/customer-portal/cancel', { headers, body: { subscription_id: id } }),
  };
  for (const [name, request] of Object.entries(operations)) {
    for (const [failure, expected] of failures) {
      payments.misfortunes.changeSubscription = [{ failure }];
      t.is(resultOf(await request()), expected, `${name} ${failure}`);
    }
    payments.misfortunes.changeSubscription = [];
    const response = await request();
    t.is(resultOf(response), '200', name);
    t.is(response.body.subscription.id, id, name);
  }
  const otherKey = await buildKey({ ...ctx, tenant: await buildTenant(services) }, ['admin.orders:write']);
  const elsewhere = `/api/v1/admin/subscriptions/${id}/reactivate`;
  t.is(resultOf(await api.call('POST', elsewhere, { key: otherKey })), '404 not_found');
});

test.serial('POST /billing-portal distinguishes the failures of the provider', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { email } = await buildCustomer(ctx);
  const body = { customer_email: email, return_url: `${tenant.storefrontUrl}/account` };
  const open = () => api.call('POST', '/api/v1/billing-portal', { tenant: tenant.slug, body });
  t.is(resultOf(await open()), '503 payment_provider_not_configured', 'without an account');
  await transact(ctx, (ctx) =>
    savePaymentAccount(ctx, { provider: 'stripe', mode: 'connect', account_id: 'acct_1', automatic_tax: false }),
  );
  t.is(resultOf(await open()), '503 payment_provider_not_configured', 'in connect mode there is no key');
  await buildPaymentAccount(ctx);
  for (const [failure, expected] of failures) {
    payments.misfortunes.openBillingPortal = [{ failure }];
    t.is(resultOf(await open()), expected, failure);
  }
  const opened = await open();
  t.is(opened.status, 200);
  t.regex(opened.body.url, /^https:\/\/portal\.example\//);
  t.is(opened.headers.get('cache-control'), 'no-store');
});

type Send = (urls: { return_url?: string; cancel_url?: string }) => Promise<ApiResponse>;

/** Every operation that sends a shopper back, of a store with these origins. */
async function operationsOf(
  { api, ctx, services }: ApiContext,
  allowedOrigins: string[],
): Promise<Record<string, Send>> {
  const tenant = await buildTenant(services, { storefrontUrl: 'https://shop.example', allowedOrigins });
  const own = { ...ctx, tenant };
  await buildPaymentAccount(own);
  const key = await buildKey(own, ['checkout:write']);
  const { email } = await buildCustomer(own);
  const beans = await buildProduct(own, {
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month'],
  });
  const line = { product_slug: beans.slug, variant_id: beans.variant.id };
  return {
    '/api/v1/checkout/sessions': (urls) =>
      api.call('POST', '/api/v1/checkout/sessions', { key, body: { items: [{ ...line, quantity: 1 }], ...urls } }),
    '/api/v1/subscriptions/gift-checkout': (urls) =>
      api.call('POST', '/api/v1/subscriptions/gift-checkout', {
        key,
        body: { ...line, months: 1, recipient_email: 'grace@example.com', ...urls },
      }),
    '/api/v1/billing-portal': (urls) =>
      api.call('POST', '/api/v1/billing-portal', { tenant: tenant.slug, body: { customer_email: email, ...urls } }),
  };
}

/** Not a shopper's way: the owner's own page, and a path of the storefront, which nothing leads away from. */
const ofOthers = ['/api/v1/admin/integrations', '/api/v1/customer-portal'];

test('every route with a return URL validates it by the same rule', async (t) => {
  const rows: [url: string, any: number, listed: number][] = [
    ['https://shop.example/thanks', 200, 200],
    ['https://www.shop.example/', 200, 200],
    ['https://elsewhere.example/', 200, 400],
    ['https://shop.example/c?filter[color]=red', 200, 200],
    ["https://shop.example/men's?a=Fall%20|%20Sale&b={b}^`", 200, 200],
    ['https://münchen.de/ok', 200, 400],
    ['http://localhost:5173/thanks', 200, 200],
    ['javascript:alert(1)', 400, 400],
    ['ftp://shop.example/', 400, 400],
  ];
  const stores = [await operationsOf(t.context, ['*']), await operationsOf(t.context, ['https://www.shop.example'])];
  const taking = routes.filter(
    ({ body }) =>
      body && ['return_url', 'cancel_url'].some((name) => name in ((body as { properties?: object }).properties ?? {})),
  );
  t.deepEqual(taking.map(({ path }) => path).toSorted(), [...Object.keys(stores[0] ?? {}), ...ofOthers].toSorted());
  for (const [url, ...expected] of rows) {
    for (const [index, operations] of stores.entries()) {
      for (const [path, request] of Object.entries(operations)) {
        for (const field of path.endsWith('portal') ? ['return_url'] : ['return_url', 'cancel_url']) {
          const { status, body } = await request({ [field]: url });
          t.is(status, expected[index] ?? 0, `${path} ${field} ${url}`);
          if (status !== 200)
            t.like(body, { error: 'invalid_request', errors: only({ path: `/${field}` }) }, `${path} ${field} ${url}`);
        }
      }
    }
  }
});

test('a payment page leads back to the order, and to the session of the provider', async (t) => {
  const operations = await operationsOf(t.context, ['https://www.shop.example']);
  for (const path of ['/api/v1/checkout/sessions', '/api/v1/subscriptions/gift-checkout']) {
    const url = 'https://shop.example/order/{ORDER_ID}?session={CHECKOUT_SESSION_ID}';
    const { status, body } =
      (await operations[path]?.({ return_url: url, cancel_url: 'https://shop.example/cart?order={ORDER_ID}' })) ?? {};
    t.is(status, 200, path);
    const request = payments.requests.get(`checkout:${body.order_id}`);
    t.is(request?.returnUrl, `https://shop.example/order/${body.order_id}?session={CHECKOUT_SESSION_ID}`);
    t.is(request?.cancelUrl, `https://shop.example/cart?order=${body.order_id}`);
  }
});

test('POST /billing-portal returns 404 for an unknown customer before it validates the return URL', async (t) => {
  const { api, services } = t.context;
  const tenant = await buildTenant(services, { allowedOrigins: ['https://www.shop.example'] });
  for (const return_url of ['https://evil.example/', 'http://shop.example/', tenant.storefrontUrl]) {
    const response = await api.call('POST', '/api/v1/billing-portal', {
      tenant: tenant.slug,
      body: { customer_email: 'nobody@example.com', return_url },
    });
    t.like(response, { status: 404, body: { error: 'customer_not_found' } }, return_url);
  }
  for (const return_url of ['no url', 'javascript:alert(1)']) {
    const shape = await api.call('POST', '/api/v1/billing-portal', {
      tenant: tenant.slug,
      body: { customer_email: 'nobody@example.com', return_url },
    });
    t.like(shape, { status: 400, body: { errors: only({ path: '/return_url' }) } });
  }
});

test.serial('a checkout whose statement PostgreSQL ends responds 503, and succeeds when it is repeated', async (t) => {
  const { ctx, api } = t.context;
  await buildPaymentAccount(ctx);
  const key = await buildKey(ctx, ['checkout:write']);
  const bowl = await buildProduct(ctx);
  const checkout = () =>
    api.call('POST', '/api/v1/checkout/sessions', {
      key,
      headers: { 'idempotency-key': 'once' },
      body: { items: [{ product_slug: bowl.slug, quantity: 1 }] },
    });
  await takeOrderNumber(ctx);

  const slow = await transact(ctx, async ({ tx, tenant }) => {
    await tx.execute(sql`select 1 from order_numbers where tenant_id = ${tenant.id} for update`);
    const response = checkout();
    // As the time limit of a statement does, after 15 seconds.
    await until(() => cancelWaiting(ctx), { what: 'the checkout to wait for its number' });
    return response;
  });
  t.is(resultOf(slow), '503 service_unavailable');
  t.is(slow.headers.get('retry-after'), '1');
  t.is((await checkout()).status, 200);
});

test('a deadlock of two transactions responds 503 to the one that PostgreSQL ends', async (t) => {
  const { ctx } = t.context;
  const locked = { a: Promise.withResolvers<void>(), b: Promise.withResolvers<void>() };
  const lockBoth = (one: 'a' | 'b', other: 'a' | 'b') =>
    transact(ctx, async ({ tx, tenant }) => {
      const lock = (name: string) => tx.execute(sql`select pg_advisory_xact_lock(hashtext(${`${tenant.id} ${name}`}))`);
      await lock(one);
      locked[one].resolve();
      await locked[other].promise;
      await lock(other);
    });
  const outcomes = await Promise.allSettled([lockBoth('a', 'b'), lockBoth('b', 'a')]);
  const ended = outcomes.find(({ status }) => status === 'rejected');
  const { status, headers } = replyToError(ended?.status === 'rejected' && ended.reason, 'req_1');
  t.deepEqual([status, headers], [503, { 'retry-after': '1' }]);
});

async function cancelWaiting({ database }: Context): Promise<boolean> {
  const { rowCount } = await database.pool.query(`
    select pg_cancel_backend(pid) from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock' and query like '%order_numbers%'`);
  return rowCount !== 0;
}

test.serial('what needs a secret whose encryption key is lost is unavailable, and nothing is written', async (t) => {
  const { ctx } = t.context;
  const { checkout } = await counter(t.context);
  const bowl = await buildProduct(ctx);
  const items = [{ product_slug: bowl.slug, quantity: 1 }];
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
      update payment_accounts set secret_key_sealed = 'lost:' || split_part(secret_key_sealed, ':', 2)
      where tenant_id = ${ctx.tenant.id}`),
  );
  const rejected = await checkout({ items });
  t.is(resultOf(rejected), '503 service_unavailable');
  t.is(rejected.headers.get('retry-after'), '60');
  t.is(
    rejected.body.detail,
    'A stored credential of this store cannot be decrypted, because its encryption key is missing.',
  );
  t.deepEqual(await read(ctx, sql`select id from orders where tenant_id = ${ctx.tenant.id}`), []);
  await buildPaymentAccount(ctx);
  t.is(resultOf(await checkout({ items })), '200', 'once the credential is entered again');
});
