import anyTest, { type TestFn } from 'ava';

import { read, transact } from '#src/database/transact.ts';
import { addLine, markBought, readCart } from '#src/domain/cart/index.ts';
import { removeProduct } from '#src/domain/catalog/index.ts';
import { CheckoutInput } from '#src/domain/checkout/index.ts';
import { holdPromo, redeemPromo } from '#src/domain/promotions/index.ts';
import { setModules } from '#src/domain/tenants/index.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { issuesOf } from '#src/lib/validation.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildCart, buildSavedCart, restoreTokenOf, unsubscribeTokenOf } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

test('cart: create, add, change and remove items', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const { id: productId, slug, variant } = await buildProduct(ctx);
  const started = await api.call('POST', '/api/v1/cart', {
    tenant,
    body: { currency: 'USD', session_id: 'ses-1', customer_id: 'cus-1' },
  });
  t.is(started.status, 201);
  t.is(started.headers.get('cache-control'), 'no-store');
  const { cart } = started.body;
  t.like(cart, {
    status: 'active',
    currency: 'USD',
    sessionId: 'ses-1',
    customerId: 'cus-1',
    items: [],
    itemCount: 0,
    subtotalCents: 0,
    version: 1,
  });
  t.regex(cart.id, /^cart_/);

  const path = `/api/v1/cart/${cart.id}`;
  const added = await api.call('POST', `${path}/items`, {
    tenant,
    body: { variantId: variant.id, quantity: '2', unitPriceCents: '3800' },
  });
  t.is(added.status, 201);
  const [item] = added.body.cart.items;
  t.deepEqual(item, {
    id: item.id,
    variantId: variant.id,
    productId,
    productSlug: slug,
    name: 'Oak bowl',
    variantName: variant.name,
    sku: variant.sku,
    imageUrl: null,
    quantity: 2,
    unitPriceCents: 3800,
    lineTotalCents: 7600,
    purchaseType: 'one_time',
    subscriptionInterval: null,
    stockStatus: 'in_stock',
    maxQuantity: 100,
    priceChanged: false,
  });
  t.deepEqual((await api.call('GET', path, { tenant })).body, added.body);

  const changed = await api.call('PATCH', `${path}/items/${item.id}`, { tenant, body: { quantity: 5 } });
  t.is(changed.status, 200);
  t.like(changed.body.cart, { itemCount: 5, subtotalCents: 19_000, version: 3 });
  const bought = await api.call('PATCH', `${path}/items/${item.id}`, {
    tenant,
    body: { purchaseType: 'one_time', quantity: 2 },
  });
  t.like(bought.body.cart, { itemCount: 2, subtotalCents: 7600 });
  const removed = await api.call('DELETE', `${path}/items/${item.id}`, { tenant });
  t.is(removed.status, 200);
  t.deepEqual(removed.body.cart.items, []);
  t.is((await api.call('DELETE', `${path}/items/${item.id}`, { tenant })).status, 404);
});

test('POST /cart accepts an empty body and none', async (t) => {
  const {
    api,
    tenant: { slug: tenant },
  } = t.context;
  t.is((await api.call('POST', '/api/v1/cart', { tenant })).status, 201);
  t.is((await api.call('POST', '/api/v1/cart', { tenant, body: { colour: 'red' } })).status, 201);
  const foreign = await api.call('POST', '/api/v1/cart', { tenant, body: { currency: 'EUR' } });
  t.is(foreign.status, 400);
  t.is(foreign.body.error, 'currency_mismatch');
});

test('cart routes reject invalid bodies with their paths', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const { variant } = await buildProduct(ctx);
  const cart = await buildCart(ctx, [variant.id]);
  const items = `/api/v1/cart/${cart.id}/items`;
  const line = `${items}/${cart.lines[0]?.id}`;
  const wrong: [string, string, unknown, string][] = [
    ['POST', '/api/v1/cart', { currency: 5 }, '/currency'],
    ['POST', items, {}, '/variantId'],
    ['POST', items, { variantId: variant.id, quantity: 0 }, '/quantity'],
    ['POST', items, { variantId: variant.id, quantity: 1000 }, '/quantity'],
    ['POST', items, { variantId: variant.id, quantity: '1.5' }, '/quantity'],
    ['POST', items, { variantId: variant.id, unitPriceCents: 'free' }, '/unitPriceCents'],
    ['POST', items, { variantId: variant.id, purchaseType: 'rent' }, '/purchaseType'],
    ['POST', items, { variantId: variant.id, purchaseType: 'subscription' }, '/subscriptionInterval'],
    [
      'POST',
      items,
      { variantId: variant.id, purchaseType: 'subscription', subscriptionInterval: '' },
      '/subscriptionInterval',
    ],
    [
      'POST',
      items,
      { variantId: variant.id, purchaseType: 'subscription', subscriptionInterval: 'week' },
      '/subscriptionInterval',
    ],
    ['POST', items, { variantId: variant.id, quantity: 999 }, '/quantity'],
    ['PATCH', line, { quantity: -1 }, '/quantity'],
    ['PATCH', line, { purchaseType: 'subscription' }, '/subscriptionInterval'],
    ['PATCH', line, { purchaseType: 'subscription', subscriptionInterval: 'week' }, '/subscriptionInterval'],
    ['PATCH', line, { subscriptionInterval: 'week' }, '/subscriptionInterval'],
  ];
  for (const [method, path, body, at] of wrong) {
    const response = await api.call(method, path, { tenant, body });
    t.is(response.status, 400, JSON.stringify(body));
    t.is(response.body.error, 'invalid_request');
    t.true(
      response.body.errors.some((issue: { path: string }) => issue.path === at),
      `${JSON.stringify(body)}: ${JSON.stringify(response.body.errors)}`,
    );
  }
  const detailOf = async (path: string, body: unknown) => (await api.call('POST', path, { tenant, body })).body.detail;
  t.is(await detailOf(items, { variantId: variant.id, quantity: 0 }), 'quantity must be a whole number from 1 to 999.');
  t.is(
    await detailOf('/api/v1/cart/apply-promo', { code: 'A', subtotalCents: 1, items: [{ lineTotalCents: 1 }] }),
    '/items/0/productSlug is required.',
  );
  t.is(await detailOf(items, []), 'The body must be an object.');
  const broken = await api.call('POST', items, { tenant, body: '{', headers: { 'content-type': 'application/json' } });
  t.is(broken.body.error, 'invalid_json');
});

test('a cart line and a checkout accept a kind of purchase that a form sends empty', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { slug, variant } = await buildProduct(ctx);
  const cart = await buildCart(ctx);
  const added = await api.call('POST', `/api/v1/cart/${cart.id}/items`, {
    tenant: tenant.slug,
    body: { variantId: variant.id, purchaseType: '', subscriptionInterval: '' },
  });
  t.is(added.status, 201);
  const [line] = added.body.cart.items;
  t.like(line, { purchaseType: 'one_time', subscriptionInterval: null });
  const changed = await api.call('PATCH', `/api/v1/cart/${cart.id}/items/${line.id}`, {
    tenant: tenant.slug,
    body: { quantity: 2, purchaseType: '', subscriptionInterval: ' ' },
  });
  t.like(changed.body.cart.items[0], { quantity: 2, purchaseType: 'one_time' });
  const item = { product_slug: slug, quantity: 1, purchase_type: '', subscription_interval: '' };
  t.deepEqual(issuesOf(CheckoutInput, { items: [item] }), []);
});

test('a cart line ignores the interval of a one-time purchase, whatever it is', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { variant } = await buildProduct(ctx);
  const cart = await buildCart(ctx);
  const items = `/api/v1/cart/${cart.id}/items`;
  for (const purchase of [{ purchaseType: 'one_time' }, {}]) {
    const body = { variantId: variant.id, ...purchase, subscriptionInterval: 'none' };
    const added = await api.call('POST', items, { tenant: tenant.slug, body });
    t.is(added.status, 201, JSON.stringify(body));
    t.like(added.body.cart.items[0], { purchaseType: 'one_time', subscriptionInterval: null });
  }
  const [line] = (await readCart(ctx, cart.id)).lines;
  const changed = await api.call('PATCH', `${items}/${line?.id}`, {
    tenant: tenant.slug,
    body: { quantity: 5, purchaseType: 'one_time', subscriptionInterval: 'none' },
  });
  t.like(changed.body.cart?.items[0], { quantity: 5, purchaseType: 'one_time', subscriptionInterval: null });
});

test('POST /cart/:id/items rejects what cannot be bought with its code', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const single = await buildProduct(ctx);
  const several = await buildProduct(ctx, { variants: [{ name: 'S' }, { name: 'L' }] });
  const cart = await buildCart(ctx);
  const add = (body: unknown) => api.call('POST', `/api/v1/cart/${cart.id}/items`, { tenant, body });
  t.like(await add({ variantId: 'var_none' }), { status: 400, body: { error: 'unknown_product' } });
  t.like(await add({ productId: several.id }), { status: 400, body: { error: 'variant_required' } });
  t.like(await add({ variantId: single.variant.id, purchaseType: 'subscription', subscriptionInterval: 'month' }), {
    status: 400,
    body: { error: 'price_unavailable' },
  });
  const { body } = await add({ productId: single.id });
  const line = `/api/v1/cart/${cart.id}/items/${body.cart.items[0].id}`;
  const monthly = { purchaseType: 'subscription', subscriptionInterval: 'month' };
  t.like(await api.call('PATCH', line, { tenant, body: monthly }), {
    status: 400,
    body: { error: 'price_unavailable' },
  });
  await transact(ctx, (ctx) => removeProduct(ctx, single.slug));
  t.like(await api.call('PATCH', line, { tenant, body: monthly }), { status: 400, body: { error: 'unknown_product' } });
});

test('a cart takes no subscription where the store has disabled them, and keeps those it has', async (t) => {
  const { api, ctx, services } = t.context;
  const tenant = await buildTenant(services);
  const own = { ...ctx, tenant };
  const { variant } = await buildProduct(own, {
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month', 'quarter'],
  });
  const monthly = { purchaseType: 'subscription', subscriptionInterval: 'month' } as const;
  const { id } = await buildCart(own, [variant.id]);
  const { lines } = await addLine(own, id, { variantId: variant.id, ...monthly });
  const [once, subscribed] = lines.map((line) => `/${line.id}`);
  await transact(own, (ctx) => setModules(ctx, { subscriptions: false }));

  const call = (method: string, path: string | undefined, body: object) =>
    api.call(method, `/api/v1/cart/${id}/items${path}`, { tenant: tenant.slug, body });
  const rejected = { status: 403, body: { error: 'module_disabled' } };
  t.like(await call('POST', '', { variantId: variant.id, ...monthly }), rejected);
  t.like(await call('PATCH', once, monthly), rejected);
  t.like(await call('PATCH', subscribed, { subscriptionInterval: 'quarter' }), rejected);
  t.is((await call('PATCH', subscribed, { quantity: 2 })).status, 200);
  t.is((await call('PATCH', subscribed, { purchaseType: 'one_time' })).status, 200);
});

test('POST /cart/:id/items rejects more than 100 lines', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const { variants } = await buildProduct(ctx, {
    variants: Array.from({ length: 101 }, (_, index) => ({ name: `No. ${index}` })),
  });
  const cart = await buildCart(
    ctx,
    variants.slice(0, 100).map(({ id }) => id),
  );
  const refused = await api.call('POST', `/api/v1/cart/${cart.id}/items`, {
    tenant,
    body: { variantId: variants[100]?.id, quantity: 1 },
  });
  t.like(refused, { status: 400, body: { error: 'too_many_items' } });
});

test('cart routes return 404 for an unknown cart and an unknown line', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const cart = await buildCart(ctx);
  const line = `${cart.id}/items/line_01m7xfs208fk1sctzyr3afnpz3`;
  const requests: [string, string, unknown?][] = [
    ['GET', 'cart_01m7xfs208fk1sctzyr3afnpz3'],
    ['PATCH', line, { quantity: 1 }],
    ['DELETE', line],
  ];
  for (const [method, path, body] of requests) {
    const response = await api.call(method, `/api/v1/cart/${path}`, { tenant, body });
    t.like(response, { status: 404, body: { error: 'not_found' } }, `${method} ${path}`);
  }
});

test('POST /cart/:id/items with an Idempotency-Key adds once and repeats an error', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const { variant } = await buildProduct(ctx);
  const cart = await buildCart(ctx);
  const add = (key: string, quantity: number) =>
    api.call('POST', `/api/v1/cart/${cart.id}/items`, {
      tenant,
      body: { variantId: variant.id, quantity },
      headers: { 'idempotency-key': key },
    });
  const first = await add('click-1', 2);
  t.is(first.status, 201);
  const again = await add('click-1', 2);
  t.is(again.headers.get('idempotent-replayed'), 'true');
  t.deepEqual(again.body, first.body);

  for (const _ of ['at first', 'and again']) {
    t.like(await add('click-2', 998), {
      status: 400,
      body: { error: 'invalid_request', errors: only({ path: '/quantity' }) },
    });
  }
  t.is((await api.call('GET', `/api/v1/cart/${cart.id}`, { tenant })).body.cart.itemCount, 2);
});

test.serial('GET /cart/:id returns 404 for an expired cart', async (t) => {
  const {
    api,
    ctx,
    clock,
    tenant: { slug: tenant },
  } = t.context;
  const cart = await buildCart(ctx);
  clock.pass(days(30));
  t.is((await api.call('GET', `/api/v1/cart/${cart.id}`, { tenant })).status, 404);
  clock.pass(-days(30));
});

test.serial('cart routes execute one statement each', async (t) => {
  const {
    api,
    ctx,
    services,
    tenant: { slug: tenant },
  } = t.context;
  const { variant } = await buildProduct(ctx);
  const cart = await buildCart(ctx, [variant.id]);
  const path = `/api/v1/cart/${cart.id}`;
  await api.call('GET', path, { tenant });
  const reading = await countStatements(services, () => api.call('GET', path, { tenant }));
  t.is(reading.result.status, 200);
  t.is(reading.statements.filter((text) => !/from tenants/.test(text)).length, 1);
  const filling = await countStatements(services, () =>
    api.call('POST', `${path}/items`, { tenant, body: { variantId: variant.id } }),
  );
  t.is(filling.result.status, 201);
  t.is(filling.statements.filter((text) => !/from tenants/.test(text)).length, 1);
});

const promo = '/api/v1/cart/apply-promo';
const giftCard = '/api/v1/cart/apply-gift-card';

test('POST /cart/apply-promo returns the discount and holds nothing', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  await buildPromo(ctx, { code: 'WELCOME10', value: 10, usage_limit: 1, per_customer_limit: 1 });
  const request = () =>
    api.call('POST', promo, {
      tenant,
      body: { code: ' welcome10', subtotalCents: '10005', customerEmail: 'ada@example.com' },
    });
  for (const response of [await request(), await request()]) {
    t.is(response.status, 200);
    t.deepEqual(response.body, {
      valid: true,
      code: 'WELCOME10',
      discountType: 'percent',
      discountCents: 1001,
      subtotalCents: 10_005,
      totalAfterDiscountCents: 9004,
      reason: null,
    });
  }
});

test('POST /cart/apply-promo returns 200 for each type of code and each reason', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
    services,
  } = t.context;
  const request = async (code: string, subtotalCents = 1000, more: object = {}) =>
    (await api.call('POST', promo, { tenant, body: { code, subtotalCents, ...more } })).body;
  const past = { ends_at: '2020-01-01T00:00:00Z' };
  await buildPromo(ctx, { code: 'FIVE', type: 'fixed', value_cents: 500 });
  await buildPromo(ctx, { code: 'SHIP', type: 'free_shipping' });
  await buildPromo(ctx, { code: 'OLD', ...past });
  await buildPromo(ctx, { code: 'SOON', starts_at: '2099-01-01T00:00:00Z' });
  await buildPromo(ctx, { code: 'BIG', min_subtotal_cents: 1001 });
  const once = await buildPromo(ctx, { code: 'ONCE', usage_limit: 1 });
  const each = await buildPromo(ctx, { code: 'EACH', per_customer_limit: 1 });
  await buildPromo({ ...ctx, tenant: await buildTenant(services) }, { code: 'THEIRS' });
  for (const promoId of [once.id, each.id]) {
    const use = { promoId, customerEmail: 'ada@example.com' };
    await transact(ctx, async (ctx) => {
      await holdPromo(ctx, use);
      await redeemPromo(ctx, { ...use, orderId: 'ord_1' });
    });
  }

  t.like(await request('FIVE', 300), {
    valid: true,
    discountType: 'fixed',
    discountCents: 300,
    totalAfterDiscountCents: 0,
  });
  t.like(await request('SHIP'), {
    valid: true,
    discountType: 'free_shipping',
    discountCents: 0,
    totalAfterDiscountCents: 1000,
  });
  for (const [code, reason] of [
    ['OLD', 'expired'],
    ['SOON', 'not_applicable'],
    ['BIG', 'minimum_not_met'],
    ['ONCE', 'usage_limit'],
    ['THEIRS', 'not_applicable'],
    ['NONE', 'not_applicable'],
  ] as const) {
    t.like(await request(code), { valid: false, discountCents: 0, totalAfterDiscountCents: 1000, reason }, code);
  }
  t.is((await request('EACH', 1000, { customerEmail: 'ADA@example.com' })).reason, 'customer_limit');
  t.true((await request('EACH', 1000, { customerEmail: '' })).valid);
});

test('POST /cart/apply-promo checks a code for some products by the items of the cart', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  await buildProduct(ctx, { slug: 'cup' });
  await buildPromo(ctx, { code: 'CUPS', products: ['cup'] });
  const items = [
    { productSlug: 'bowl', lineTotalCents: 3000, id: 'line_1' },
    { productSlug: 'cup', lineTotalCents: '1000' },
  ];
  const request = async (body: object) =>
    (await api.call('POST', promo, { tenant, body: { code: 'CUPS', subtotalCents: 4000, ...body } })).body;
  t.is((await request({ items })).discountCents, 100);
  t.is((await request({ items: items.slice(0, 1) })).reason, 'not_applicable');
  t.is((await request({})).discountCents, 400);
});

test('POST /cart/apply-gift-card returns the amount, and the balance only to a secret key', async (t) => {
  const {
    api,
    ctx,
    services,
    tenant: { slug: tenant },
  } = t.context;
  const { code } = await buildGiftCard(ctx, { balanceCents: 5000 });
  const body = { code: code.toLowerCase().replaceAll('-', ' '), orderTotal: '3000' };
  const anonymous = await api.call('POST', giftCard, { tenant, body });
  t.is(anonymous.status, 200);
  t.deepEqual(anonymous.body, {
    valid: true,
    last4: code.slice(-4),
    currency: 'USD',
    appliedCents: 3000,
    remainingDueCents: 0,
    reason: null,
  });
  const server = await api.call('POST', giftCard, {
    key: await buildKey(ctx, ['cart:write']),
    body: { code, orderTotal: 8000 },
  });
  t.like(server.body, { appliedCents: 5000, remainingDueCents: 3000, balanceCents: 5000 });

  const none = {
    valid: false,
    last4: null,
    currency: null,
    appliedCents: 0,
    remainingDueCents: 3000,
    reason: 'not_applicable',
  };
  t.deepEqual((await api.call('POST', giftCard, { tenant, body: { ...body, code: 'AAAA-BBBB' } })).body, none);
  const other = await buildTenant(services);
  t.deepEqual((await api.call('POST', giftCard, { tenant: other.slug, body })).body, none);
});

test('POST /cart/apply-gift-card requires the module and rejects invalid bodies with their paths', async (t) => {
  const {
    api,
    services,
    tenant: { slug: tenant },
  } = t.context;
  const without = await buildTenant(services, {
    modules: { customer_accounts: false, subscriptions: false, gift_cards: false, reviews: false },
  });
  t.like(await api.call('POST', giftCard, { tenant: without.slug, body: { code: 'AAAA', orderTotal: 1 } }), {
    status: 403,
    body: { error: 'module_disabled' },
  });

  const wrong: [string, unknown, string][] = [
    [promo, { subtotalCents: 1 }, '/code'],
    [promo, { code: 'A' }, '/subtotalCents'],
    [promo, { code: 'A', subtotalCents: -1 }, '/subtotalCents'],
    [promo, { code: 5, subtotalCents: 1 }, '/code'],
    [giftCard, { code: 'A' }, '/orderTotal'],
    [giftCard, { orderTotal: 1 }, '/code'],
  ];
  for (const [path, body, at] of wrong) {
    const response = await api.call('POST', path, { tenant, body });
    t.like(response, { status: 400, body: { error: 'invalid_request' } });
    t.is(response.body.errors[0].path, at);
  }
});

const restore = '/api/v1/cart/restore';
const unsubscribe = '/api/v1/cart/unsubscribe';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

test('POST /cart/save does not return the token, and GET /cart/restore accepts it', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const bowl = await buildProduct(ctx);
  const saved = await api.call('POST', '/api/v1/cart/save', {
    tenant,
    body: {
      email: 'Ada@example.com',
      items: [
        { product_slug: bowl.slug, quantity: '2', unit_price_cents: '3000', name: 'Bowl' },
        { product_slug: 'never-was', quantity: 1 },
      ],
    },
  });
  t.is(saved.status, 200);
  const { saved_cart_id: id, expires_at } = saved.body;
  t.deepEqual(saved.body, { ok: true, saved_cart_id: id, expires_at, reminders: 'scheduled' });
  t.regex(id, /^scart_/);

  const token = await restoreTokenOf(ctx, id);
  const expected = {
    id,
    expires_at,
    currency: 'USD',
    items: [
      {
        product_slug: bowl.slug,
        variant_id: null,
        name: 'Bowl',
        quantity: 2,
        unit_price_cents: 3000,
        current_unit_price_cents: 3800,
        status: 'price_changed',
      },
      {
        product_slug: 'never-was',
        variant_id: null,
        name: null,
        quantity: 1,
        unit_price_cents: null,
        current_unit_price_cents: null,
        status: 'discontinued',
      },
    ],
  };
  // A link in an email sends no header: the token names the tenant.
  for (const response of [
    await api.call('GET', `${restore}?token=${token}`),
    await api.call('GET', `${restore}?token=${token}`, { tenant }),
    await api.call('GET', `${restore}?token=${token}`, { key: await buildKey(ctx, ['cart:read']) }),
    await api.call('POST', restore, { body: { token } }),
    await api.call('POST', `${restore}?token=${token}`, { tenant }),
  ]) {
    t.is(response.status, 200);
    const { saved_at: _, ...saved } = response.body.saved_cart;
    t.deepEqual(saved, expected);
  }
});

test('a cart is saved and restored with what is bought by subscription, and how often', async (t) => {
  const { api, ctx } = t.context;
  const { slug } = ctx.tenant;
  const { variant } = await buildProduct(ctx, {
    purchase_types: ['subscription'],
    subscription_intervals: ['quarter'],
  });
  const line = { variant_id: variant.id, quantity: 2, unit_price_cents: 3400 };
  const quarterly = { ...line, purchase_type: 'subscription', subscription_interval: 'quarter' };
  const unsaid = [line, { ...line, purchase_type: '', subscription_interval: null }];
  const elsewhere = [
    { ...line, purchase_type: 'one_time', subscription_interval: 'whenever' },
    { ...quarterly, subscription_interval: 'month' },
    { ...line, purchase_type: 'subscription' },
  ];
  const { body: saved } = await api.call('POST', '/api/v1/cart/save', {
    tenant: slug,
    body: { email: 'ada@example.com', items: [quarterly, ...unsaid, ...elsewhere] },
  });
  const { body } = await api.call('GET', `${restore}?token=${await restoreTokenOf(ctx, saved.saved_cart_id)}`);
  const { cart } = (await api.call('POST', '/api/v1/cart', { tenant: slug, body: {} })).body;
  const add = async ({ variant_id, quantity, purchase_type, subscription_interval }: Record<string, unknown>) =>
    api.call('POST', `/api/v1/cart/${cart.id}/items`, {
      tenant: slug,
      body: {
        variantId: variant_id,
        quantity,
        purchaseType: purchase_type,
        subscriptionInterval: subscription_interval,
      },
    });
  const [restored, ...others] = body.saved_cart.items;
  t.like(restored, { ...quarterly, current_unit_price_cents: 3400, status: 'ok' });
  t.like(
    (await add(restored)).body.cart.items,
    only({ quantity: 2, unitPriceCents: 3400, purchaseType: 'subscription' }),
  );
  t.deepEqual(
    others.map(
      ({ purchase_type: type, subscription_interval: interval, current_unit_price_cents: price, status }: any) => [
        type,
        interval,
        price,
        status,
      ],
    ),
    [
      [undefined, undefined, 3800, 'price_changed'],
      [undefined, undefined, 3800, 'price_changed'],
      ['one_time', undefined, null, 'discontinued'],
      ['subscription', 'month', null, 'discontinued'],
      ['subscription', undefined, 3400, 'ok'],
    ],
  );
});

test('HEAD of /cart/restore finds a saved cart and does not record that its shopper came back', async (t) => {
  const { api, ctx } = t.context;
  const { id } = await buildSavedCart(ctx);
  const token = await restoreTokenOf(ctx, id);
  const restoredAt = async () =>
    (await read<{ at: Date | null }>(ctx, sql`select restored_at as at from saved_carts where id = ${id}`))[0]?.at;
  t.is((await api.call('HEAD', `${restore}?token=${token}`)).status, 200);
  t.is(await restoredAt(), null);
  t.is((await api.call('GET', `${restore}?token=${token}`)).status, 200);
  t.truthy(await restoredAt());
  t.is((await api.call('HEAD', `${restore}?token=${await restoreTokenOf(ctx, 'scart_none')}`)).status, 410);
});

test('POST /cart/save schedules no reminders without consent, and names the paths of invalid fields', async (t) => {
  const {
    api,
    tenant: { slug: tenant },
  } = t.context;
  const save = (body: object) => api.call('POST', '/api/v1/cart/save', { tenant, body });
  const items = [{ quantity: 1, name: 'A thing' }];
  t.is((await save({ email: 'ada@example.com', items, consent: false })).body.reminders, 'not_scheduled');
  t.is((await save({ email: 'ada@example.com', items, consent: null })).body.reminders, 'scheduled');
  const wrong: [object, string][] = [
    [{ items }, '/email'],
    [{ email: 'nobody', items }, '/email'],
    [{ email: 'ada@example.com' }, '/items'],
    [{ email: 'ada@example.com', items: [] }, '/items'],
    [{ email: 'ada@example.com', items: [{ name: 'A' }] }, '/items/0/quantity'],
    [{ email: 'ada@example.com', items: [{ quantity: 0 }] }, '/items/0/quantity'],
    [{ email: 'ada@example.com', items: Array(101).fill({ quantity: 1 }) }, '/items'],
  ];
  for (const [body, at] of wrong) {
    const response = await save(body);
    t.is(response.status, 400);
    t.is(response.body.errors[0].path, at);
  }
});

test('GET /cart/restore returns 410 for a converted cart and 400 without a token', async (t) => {
  const {
    api,
    ctx,
    services,
    tenant: { slug: tenant },
  } = t.context;
  const saved = await buildSavedCart(ctx, { email: 'ada@example.com' });
  const token = await restoreTokenOf(ctx, saved.id);
  const unknown = await restoreTokenOf(ctx, 'scart_none');
  const gone = { status: 410, body: { error: 'saved_cart_gone' } };
  t.like(await api.call('GET', `${restore}?token=${unknown}`, { tenant }), gone);
  t.like(await api.call('GET', `${restore}?token=nonsense`, { tenant }), gone);
  t.like(await api.call('GET', `${restore}?token=nonsense`), gone);
  t.like(await api.call('POST', restore, { body: { token: unknown } }), gone);

  t.like(await api.call('GET', restore, { tenant }), {
    status: 400,
    body: { error: 'invalid_request', errors: only({ path: '/token' }) },
  });
  t.like(await api.call('GET', restore), { status: 400, body: { error: 'missing_tenant' } });
  const other = await buildTenant(services);
  t.like(await api.call('GET', `${restore}?token=${token}`, { tenant: other.slug }), {
    status: 400,
    body: { error: 'invalid_request' },
  });
  const theirKey = await buildKey({ ...ctx, tenant: other }, ['cart:read']);
  t.is((await api.call('GET', `${restore}?token=${token}`, { key: theirKey })).status, 400);
  t.is(
    (await api.call('GET', `${restore}?token=${token}`, { key: await buildKey(ctx, ['products:read']) })).status,
    403,
  );
  t.is((await api.call('GET', `${restore}?token=${'0'.repeat(26)}${token.slice(26)}`)).body.error, 'unknown_tenant');

  await transact(ctx, (ctx) => markBought(ctx, { email: 'ada@example.com', cartId: null, sessionId: null }));
  t.like(await api.call('GET', `${restore}?token=${token}`), gone);
});

test('GET /cart/unsubscribe changes nothing, and the button of its page unsubscribes', async (t) => {
  const { api, ctx } = t.context;
  const { email } = await buildSavedCart(ctx);
  const token = await unsubscribeTokenOf(ctx, email);
  const status = async () => (await api.call('GET', `${unsubscribe}?token=${token}`)).body;
  t.deepEqual(await status(), { ok: true, status: 'subscribed' });

  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const shown = await api.call('GET', `${unsubscribe}?token=${token}`, { headers: browser });
  t.is(shown.status, 200);
  t.is(shown.headers.get('content-type'), 'text/html; charset=utf-8');
  t.regex(shown.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  t.is(shown.headers.get('referrer-policy'), 'no-referrer');
  t.is(shown.body.match(/<button/g)?.length, 1);
  t.deepEqual(await status(), { ok: true, status: 'subscribed' });

  // A program that names JSON gets that, also where it takes pages as a second choice.
  const program = { accept: 'application/json, text/html;q=0.5' };
  const { body: read } = await api.call('GET', `${unsubscribe}?token=${token}`, { headers: program });
  t.deepEqual(read, { ok: true, status: 'subscribed' });

  // What checks links does not press buttons, even where one is part of the link.
  t.is((await api.call('HEAD', `${unsubscribe}?token=${token}&confirm=1`)).status, 200);
  t.deepEqual(await status(), { ok: true, status: 'subscribed' });

  const [, action = ''] = /action="([^"]+)"/.exec(shown.body) ?? [];
  const pressed = await api.call('POST', unsubscribe + action, { headers: { ...browser, ...form }, body: '' });
  t.is(pressed.status, 200);
  t.regex(pressed.body, /No more reminders/);
  t.false(pressed.body.includes('<button'));
  t.deepEqual(await status(), { ok: true, status: 'unsubscribed' });
});

test('every way to unsubscribe works repeatedly', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const boundary = '----x';
  const multipart = `--${boundary}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${boundary}--\r\n`;
  const ways: ((token: string) => Promise<{ status: number; body: unknown }>)[] = [
    (token) => api.call('POST', unsubscribe, { body: { token } }),
    (token) => api.call('POST', unsubscribe, { tenant, body: { token } }),
    (token) => api.call('POST', `${unsubscribe}?token=${token}`),
    (token) => api.call('POST', unsubscribe, { headers: form, body: `token=${token}` }),
    (token) => api.call('POST', `${unsubscribe}?token=${token}`, { headers: form, body: 'List-Unsubscribe=One-Click' }),
    (token) =>
      api.call('POST', `${unsubscribe}?token=${token}`, {
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        body: multipart,
      }),
    (token) => api.call('GET', `${unsubscribe}?token=${token}&confirm=1`),
    async (token) => api.call('POST', unsubscribe, { key: await buildKey(ctx, ['cart:write']), body: { token } }),
  ];
  for (const [index, way] of ways.entries()) {
    const { email } = await buildSavedCart(ctx);
    const token = await unsubscribeTokenOf(ctx, email);
    for (const _ of [1, 2])
      t.like(await way(token), { status: 200, body: { ok: true, status: 'unsubscribed' } }, `way ${index}`);
  }
});

test('POST /cart/unsubscribe rejects unknown tokens and those of another store', async (t) => {
  const {
    api,
    ctx,
    services,
    tenant: { slug: tenant },
  } = t.context;
  const { email } = await buildSavedCart(ctx);
  const token = await unsubscribeTokenOf(ctx, email);
  const invalid = { status: 400, body: { error: 'invalid_or_expired_token' } };
  t.like(await api.call('POST', unsubscribe, { tenant, body: { token: 'nonsense' } }), invalid);
  t.like(await api.call('POST', unsubscribe, { body: { token: 'nonsense' } }), invalid);
  t.like(await api.call('GET', `${unsubscribe}?token=${await unsubscribeTokenOf(ctx, 'nobody@example.com')}`), invalid);
  t.like(await api.call('POST', unsubscribe, { tenant }), {
    status: 400,
    body: { error: 'invalid_request', errors: only({ path: '/token' }) },
  });
  const other = await buildTenant(services);
  t.is((await api.call('POST', unsubscribe, { tenant: other.slug, body: { token } })).status, 400);
  t.is((await api.call('POST', unsubscribe, { key: await buildKey(ctx, ['cart:read']), body: { token } })).status, 403);
  t.is(
    (await api.call('POST', unsubscribe, { tenant, headers: { 'content-type': 'text/plain' }, body: token })).status,
    415,
  );
  t.like((await api.call('GET', `${unsubscribe}?token=${token}`)).body, { status: 'subscribed' });
});

test('/cart/unsubscribe says in a page of a browser that a link is not valid', async (t) => {
  const { api } = t.context;
  const headers = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const ways = [
    () => api.call('GET', `${unsubscribe}?token=nonsense`, { headers }),
    () => api.call('POST', `${unsubscribe}?token=nonsense`, { headers: { ...headers, ...form }, body: '' }),
  ];
  for (const way of ways) {
    const reply = await way();
    t.is(reply.status, 400);
    t.is(reply.headers.get('content-type'), 'text/html; charset=utf-8');
    t.is(reply.headers.get('cache-control'), 'no-store');
    t.regex(reply.headers.get('content-security-policy') ?? '', /default-src 'none'/);
    t.regex(reply.body, /<p>This link is invalid or has expired\.<\/p>/);
  }
});

test('GET /cart/unsubscribe escapes the name of the store', async (t) => {
  const { api, ctx, services } = t.context;
  const tenant = await buildTenant(services, { name: '<script>alert("x")</script> & Co' });
  const { email } = await buildSavedCart({ ...ctx, tenant });
  const token = await unsubscribeTokenOf({ ...ctx, tenant }, email);
  const { body } = await api.call('GET', `${unsubscribe}?token=${token}`, { headers: { accept: 'text/html' } });
  t.false(body.includes('<script>'));
  t.true(body.includes('&lt;script&gt;'));
});
