import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import {
  holdPromo,
  PromoCodeInput,
  quotePromo,
  redeemPromo,
  releasePromo,
  removePromoCode,
  savePromoCode,
} from '#src/domain/promotions/index.ts';
import type { PromoUse } from '#src/domain/promotions/promo-usage.ts';
import { DomainError } from '#src/lib/errors.ts';
import { issuesOf } from '#src/lib/validation.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildPromo, usesOf } from '#test/support/factories/promotions.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const hold = (ctx: Context, use: PromoUse) => transact(ctx, (ctx) => holdPromo(ctx, use));
const release = (ctx: Context, use: PromoUse) => transact(ctx, (ctx) => releasePromo(ctx, use));
const redeem = (ctx: Context, use: PromoUse & { orderId: string; paidBy?: string; isHeld?: boolean }) =>
  transact(ctx, (ctx) => redeemPromo(ctx, use));
const quote = (ctx: Context, code: string, customerEmail?: string) =>
  quotePromo(ctx, { code, currency: 'USD', subtotalCents: 10_000, customerEmail });

test('savePromoCode is idempotent and restores a removed code', async (t) => {
  const { ctx } = t.context;
  const input = {
    code: 'welcome10',
    type: 'percent',
    value: 10,
    usage_limit: 100,
    ends_at: '2099-01-01T00:00:00Z',
    products: [],
  } as const;
  const save = (given: object = {}) => transact(ctx, (ctx) => savePromoCode(ctx, { ...input, products: [], ...given }));

  t.like(await save(), { subject: 'promo code WELCOME10', action: 'created' });
  t.like(await save(), { action: 'unchanged', fields: [] });
  t.like(await save({ value: 12.5, min_subtotal_cents: 2000 }), {
    action: 'updated',
    fields: ['percent', 'min_subtotal_cents'],
  });
  t.like(await quote(ctx, ' Welcome10 '), {
    valid: true,
    code: 'WELCOME10',
    discountType: 'percent',
    discountCents: 1250,
  });

  const remove = () => transact(ctx, (ctx) => removePromoCode(ctx, 'Welcome10'));
  t.is((await remove()).action, 'removed');
  t.is((await remove()).action, 'unchanged');
  t.like(await quote(ctx, 'WELCOME10'), { valid: false, promoId: null, reason: 'not_applicable' });
  await save();
  t.true((await quote(ctx, 'WELCOME10')).valid);
});

test('savePromoCode rejects a code that ends before it starts', async (t) => {
  const at = '2026-11-20T12:00:00Z';
  const save = transact(t.context.ctx, (ctx) =>
    savePromoCode(ctx, { code: 'NEVER', type: 'free_shipping', starts_at: at, ends_at: at }),
  );
  t.like(await t.throwsAsync(save, { code: 'invalid_request' }), { extensions: { errors: [{ path: '/ends_at' }] } });
});

test('PromoCodeInput requires the value of its type', (t) => {
  const pathsOf = (input: object) => issuesOf(PromoCodeInput, input).map(({ path }) => path);
  t.deepEqual(pathsOf({ code: 'A', type: 'percent' }), ['/value']);
  t.deepEqual(pathsOf({ code: 'A', type: 'percent', value: null }), ['/value']);
  t.deepEqual(pathsOf({ code: 'A', type: 'fixed', value: 5 }), ['/value_cents']);
  t.deepEqual(pathsOf({ code: 'A', type: 'fixed', value_cents: 500 }), []);
  t.deepEqual(pathsOf({ code: 'A', type: 'free_shipping' }), []);
  t.true(pathsOf({ code: 'A', type: 'percent', value: 100.01 }).includes('/value'));
  t.deepEqual(pathsOf({ code: 'A', type: 'percent', value: 8.1 }), []);
  t.true(pathsOf({ code: 'A B', type: 'free_shipping' }).includes('/code'));
});

test('holdPromo grants five uses of a code limited to five to a hundred concurrent checkouts', async (t) => {
  const { ctx } = t.context;
  const promo = await buildPromo(ctx, { usage_limit: 5 });
  const requested = await Promise.allSettled(Array.from({ length: 100 }, () => hold(ctx, { promoId: promo.id })));

  const refused = requested.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  t.is(refused.length, 95);
  for (const error of refused) t.like(error, { code: 'promo_not_applicable', extensions: { reason: 'usage_limit' } });
  t.deepEqual(await usesOf(ctx, promo.id), { held: 5, used: 0 });
});

test('holdPromo grants two uses per customer to twenty concurrent checkouts', async (t) => {
  const { ctx } = t.context;
  const promo = await buildPromo(ctx, { per_customer_limit: 2 });
  const requested = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      hold(ctx, { promoId: promo.id, customerEmail: index % 2 ? 'Ada@example.com' : 'ada@example.com ' }),
    ),
  );
  const refused = requested.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  t.is(refused.length, 18);
  for (const error of refused) t.true(error instanceof DomainError && error.extensions['reason'] === 'customer_limit');
  t.deepEqual(await usesOf(ctx, promo.id, 'ada@example.com'), { held: 2, used: 0 });
  t.deepEqual(await usesOf(ctx, promo.id), { held: 2, used: 0 });
  await t.notThrowsAsync(hold(ctx, { promoId: promo.id, customerEmail: 'grace@example.com' }));
});

test('releasePromo frees a use, and redeemPromo counts an order once', async (t) => {
  const { ctx } = t.context;
  const promo = await buildPromo(ctx, { usage_limit: 1, per_customer_limit: 1 });
  const use = { promoId: promo.id, customerEmail: 'ada@example.com' };

  await hold(ctx, use);
  await t.throwsAsync(hold(ctx, use), { code: 'promo_not_applicable' });
  await release(ctx, use);
  await hold(ctx, use);
  await redeem(ctx, { ...use, orderId: 'ord_1' });
  await redeem(ctx, { ...use, orderId: 'ord_1' });
  t.deepEqual(await usesOf(ctx, promo.id), { held: 0, used: 1 });
  t.deepEqual(await usesOf(ctx, promo.id, 'ada@example.com'), { held: 0, used: 1 });
  t.is((await quote(ctx, promo.code)).reason, 'usage_limit');
});

test('quotePromo counts the uses that open checkouts hold', async (t) => {
  const { ctx } = t.context;
  const promo = await buildPromo(ctx, { usage_limit: 1, per_customer_limit: 1 });
  await hold(ctx, { promoId: promo.id, customerEmail: 'ada@example.com' });
  t.is((await quote(ctx, promo.code)).reason, 'usage_limit');
  const each = await buildPromo(ctx, { per_customer_limit: 1 });
  await hold(ctx, { promoId: each.id, customerEmail: 'ada@example.com' });
  t.is((await quote(ctx, each.code, 'ada@example.com')).reason, 'customer_limit');
  t.true((await quote(ctx, each.code, 'grace@example.com')).valid);
});

test('redeemPromo counts a use for the paying email besides the one of the checkout', async (t) => {
  const { ctx } = t.context;
  const promo = await buildPromo(ctx, { per_customer_limit: 1 });
  await hold(ctx, { promoId: promo.id });
  await redeem(ctx, { promoId: promo.id, orderId: 'ord_1', paidBy: 'Ada@example.com' });
  t.is((await quote(ctx, promo.code, 'ada@example.com')).reason, 'customer_limit');
  await hold(ctx, { promoId: promo.id, customerEmail: 'grace@example.com' });
  await redeem(ctx, {
    promoId: promo.id,
    orderId: 'ord_2',
    customerEmail: 'grace@example.com',
    paidBy: 'linus@example.com',
  });
  for (const email of ['grace@example.com', 'linus@example.com']) {
    t.deepEqual(await usesOf(ctx, promo.id, email), { held: 0, used: 1 });
    await t.throwsAsync(hold(ctx, { promoId: promo.id, customerEmail: email }), { code: 'promo_not_applicable' });
  }
  t.deepEqual(await usesOf(ctx, promo.id), { held: 0, used: 2 });
});

test('quotePromo returns customer_limit only to a customer who has used up a code', async (t) => {
  const { ctx } = t.context;
  const promo = await buildPromo(ctx, { per_customer_limit: 1 });
  await hold(ctx, { promoId: promo.id, customerEmail: 'ada@example.com' });
  await redeem(ctx, { promoId: promo.id, customerEmail: 'ada@example.com', orderId: 'ord_1' });
  t.like(await quote(ctx, promo.code, 'ADA@example.com'), {
    valid: false,
    discountType: 'percent',
    discountCents: 0,
    reason: 'customer_limit',
  });
  t.true((await quote(ctx, promo.code, 'grace@example.com')).valid);
  t.true((await quote(ctx, promo.code)).valid);
});

test('redeemPromo counts a guest’s use for the paying email, and a late payment beyond the limit', async (t) => {
  const { ctx } = t.context;
  const promo = await buildPromo(ctx, { usage_limit: 1 });
  await hold(ctx, { promoId: promo.id });
  await redeem(ctx, { promoId: promo.id, customerEmail: 'ada@example.com', orderId: 'ord_1' });
  await redeem(ctx, { promoId: promo.id, customerEmail: 'ada@example.com', orderId: 'ord_2', isHeld: false });
  t.deepEqual(await usesOf(ctx, promo.id), { held: 0, used: 2 });
  t.deepEqual(await usesOf(ctx, promo.id, 'ada@example.com'), { held: 0, used: 2 });
});

test('quotePromo discounts eligible lines, and no other currency', async (t) => {
  const { ctx } = t.context;
  await buildProduct(ctx, { slug: 'cup' });
  const promo = await buildPromo(ctx, { type: 'fixed', value_cents: 500, products: ['cup'] });
  const lines = [
    { productSlug: 'bowl', totalCents: 3000 },
    { productSlug: 'cup', totalCents: 300 },
  ];
  t.like(await quotePromo(ctx, { code: promo.code, currency: 'USD', lines }), {
    valid: true,
    discountCents: 300,
    lineDiscountsCents: [0, 300],
  });
  t.is((await quotePromo(ctx, { code: promo.code, currency: 'EUR', lines })).reason, 'not_applicable');
});

test('quotePromo does not find codes of another store', async (t) => {
  const { ctx, services } = t.context;
  const promo = await buildPromo(ctx);
  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  t.is((await quote(otherStore, promo.code)).reason, 'not_applicable');
  await t.throwsAsync(hold(otherStore, { promoId: promo.id }), { code: 'promo_not_applicable' });
});
