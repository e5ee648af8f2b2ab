import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { holdPromo, redeemPromo } from '#src/domain/promotions/index.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

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
