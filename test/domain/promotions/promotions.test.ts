import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { checkPromo, type PromoCheck, type PromoTerms } from '#src/domain/promotions/check-promo.ts';
import type { GiftCardAmount } from '#src/domain/promotions/gift-card-balance.ts';
import {
  addIssuedGiftCards,
  disableGiftCard,
  hashedCode,
  holdGiftCard,
  holdPromo,
  leftToReturn,
  PromoCodeInput,
  quoteGiftCard,
  quotePromo,
  redeemGiftCard,
  redeemPromo,
  releaseGiftCard,
  releasePromo,
  removePromoCode,
  returnGiftCard,
  saveGiftCard,
  savePromoCode,
  savePromoCodes,
} from '#src/domain/promotions/index.ts';
import type { PromoUse } from '#src/domain/promotions/promo-usage.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { issuesOf } from '#src/lib/validation.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { balanceOf, buildGiftCard, buildPromo, usesOf } from '#test/support/factories/promotions.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const now = new Date('2026-11-20T12:00:00Z');

const plain: PromoTerms = {
  currency: 'USD',
  type: 'percent',
  percent: 10,
  valueCents: null,
  minSubtotalCents: 0,
  usageLimit: null,
  perCustomerLimit: null,
  products: [],
  startsAt: null,
  endsAt: null,
  used: 0,
  usedByCustomer: 0,
};

const check = (terms: Partial<PromoTerms>, subtotalCents = 10_000) =>
  checkPromo({ ...plain, ...terms }, { subtotalCents }, now);

const sum = (amounts: readonly number[]) => amounts.reduce((total, amount) => total + amount, 0);
const discountOf = (result: PromoCheck) => (result.reason === null ? result.discountCents : undefined);
const cents = fc.integer({ min: 1, max: 5_000_000 });

const lines = fc.array(fc.record({ productSlug: fc.constantFrom('bowl', 'spoon', 'cup'), totalCents: cents }), {
  minLength: 1,
  maxLength: 20,
});

const terms = fc.oneof(
  fc.record({
    type: fc.constant('percent' as const),
    percent: fc.integer({ min: 1, max: 1_000_000 }).map((parts) => parts / 10_000),
  }),
  fc.record({ type: fc.constant('fixed' as const), valueCents: cents }),
  fc.record({ type: fc.constant('free_shipping' as const) }),
);

test('checkPromo rounds percentages half up', (t) => {
  t.is(discountOf(check({ percent: 10 }, 1005)), 101);
  t.is(discountOf(check({ percent: 10 }, 1004)), 100);
  t.is(discountOf(check({ percent: 12.5 }, 100)), 13);
});

test('checkPromo never exceeds the eligible total, and line discounts add up to the discount', (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(terms, lines, fc.subarray(['bowl', 'spoon', 'cup']), (given, basket, products) => {
        const result = checkPromo({ ...plain, percent: null, ...given, products }, { lines: basket }, now);
        const eligible = basket.map((line) =>
          products.length === 0 || products.includes(line.productSlug) ? line.totalCents : 0,
        );
        if (result.reason !== null) return result.reason === 'not_applicable' && sum(eligible) === 0;
        return (
          result.discountCents <= sum(eligible) &&
          sum(result.lineDiscountsCents) === result.discountCents &&
          result.lineDiscountsCents.every((discount, index) => discount >= 0 && discount <= (eligible[index] ?? 0)) &&
          result.freeShipping === (given.type === 'free_shipping')
        );
      }),
    ),
  );
});

test('checkPromo never discounts less for a greater percentage', (t) => {
  const percent = fc.integer({ min: 1, max: 100 });
  t.notThrows(() =>
    fc.assert(
      fc.property(percent, percent, cents, (one, other, subtotalCents) => {
        const [less = 0, more = 0] = [one, other]
          .toSorted((a, b) => a - b)
          .map((value) => discountOf(check({ percent: value }, subtotalCents)));
        return less <= more && Math.abs(less - (subtotalCents * Math.min(one, other)) / 100) <= 0.5;
      }),
    ),
  );
});

test('checkPromo includes the start and excludes the end of the validity', (t) => {
  t.is(check({ startsAt: now }).reason, null);
  t.is(check({ startsAt: new Date(now.getTime() + 1) }).reason, 'not_applicable');
  t.is(check({ endsAt: now }).reason, 'expired');
  t.is(check({ endsAt: new Date(now.getTime() + 1) }).reason, null);
});

test('checkPromo returns the reason of each limit', (t) => {
  t.is(check({ minSubtotalCents: 10_000 }).reason, null);
  t.is(check({ minSubtotalCents: 10_001 }).reason, 'minimum_not_met');
  t.is(check({ usageLimit: 5, used: 4 }).reason, null);
  t.is(check({ usageLimit: 5, used: 5 }).reason, 'usage_limit');
  t.is(check({ perCustomerLimit: 1, usedByCustomer: 1 }).reason, 'customer_limit');
  t.is(check({}, 0).reason, 'not_applicable');
});

test('checkPromo discounts only eligible products, and the minimum counts all', (t) => {
  const basket = {
    lines: [
      { productSlug: 'bowl', totalCents: 3000 },
      { productSlug: 'cup', totalCents: 1000 },
    ],
  };
  const result = checkPromo({ ...plain, products: ['cup'], minSubtotalCents: 4000 }, basket, now);
  t.deepEqual(result, { reason: null, discountCents: 100, lineDiscountsCents: [0, 100], freeShipping: false });
  t.is(checkPromo({ ...plain, products: ['spoon'] }, basket, now).reason, 'not_applicable');
});

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
    fields: only('percent', 'min_subtotal_cents'),
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

test('savePromoCodes saves codes that are new, changed, removed and as before at once, and twice the same', async (t) => {
  const { ctx } = t.context;
  const saveAll = (values: Record<string, number>) =>
    transact(ctx, (ctx) =>
      savePromoCodes(
        ctx,
        Object.entries(values).map(([code, value]) => ({ code, type: 'percent', value })),
      ),
    );
  await saveAll({ changed: 10, removed: 10, same: 10 });
  await transact(ctx, (ctx) => removePromoCode(ctx, 'removed'));
  const changes = await saveAll({ new: 10, changed: 20, removed: 10, same: 10, NEW: 30, SAME: 10 });
  t.deepEqual(
    changes.map(({ subject, action }) => `${subject} ${action}`),
    ['NEW created', 'CHANGED updated', 'REMOVED created', 'SAME unchanged', 'NEW updated', 'SAME unchanged'].map(
      (change) => `promo code ${change}`,
    ),
  );
  for (const [code, discountCents] of [
    ['NEW', 3000],
    ['CHANGED', 2000],
    ['REMOVED', 1000],
    ['SAME', 1000],
  ] as const)
    t.like(await quote(ctx, code), { valid: true, discountCents }, code);
});

test('addIssuedGiftCards creates each card once, and rejects one that was issued with another amount', async (t) => {
  const { ctx } = t.context;
  const cardOf = (code: string, balanceCents: number) => ({ ...hashedCode(ctx, code), balanceCents });
  const add = async (...cards: ReturnType<typeof cardOf>[]) =>
    (await transact(ctx, (ctx) => addIssuedGiftCards(ctx, cards))).map(({ action }) => action);
  const first = await add(cardOf('CARD-0001', 500), cardOf('CARD-0002', 700), cardOf('card 0001', 500));
  t.deepEqual(first, ['created', 'created', 'unchanged']);
  t.deepEqual(await add(cardOf('CARD-0002', 700), cardOf('CARD-0003', 1)), ['unchanged', 'created']);
  await t.throwsAsync(add(cardOf('CARD-0004', 500), cardOf('CARD-0002', 701)), {
    message: 'The card exists already. It was issued with a balance_cents of 700.',
  });
  await t.throwsAsync(add(cardOf('CARD-0004', 500), cardOf('CARD-0004', 600)), { code: 'invalid_request' });
  t.deepEqual(await add(cardOf('CARD-0004', 600)), ['created']);
});

test('savePromoCode rejects a code that ends before it starts', async (t) => {
  const at = '2026-11-20T12:00:00Z';
  const save = transact(t.context.ctx, (ctx) =>
    savePromoCode(ctx, { code: 'NEVER', type: 'free_shipping', starts_at: at, ends_at: at }),
  );
  t.like(await t.throwsAsync(save, { code: 'invalid_request' }), {
    extensions: { errors: only({ path: '/ends_at' }) },
  });
});

test('PromoCodeInput requires the value of its type, and takes anything for that of another', (t) => {
  const pathsOf = (input: object) => issuesOf(PromoCodeInput, input).map(({ path }) => path);
  t.deepEqual(pathsOf({ code: 'A', type: 'percent' }), ['/value']);
  t.deepEqual(pathsOf({ code: 'A', type: 'percent', value: null }), ['/value']);
  t.deepEqual(pathsOf({ code: 'A', type: 'fixed', value: 5 }), ['/value_cents']);
  t.deepEqual(pathsOf({ code: 'A' }), ['/type']);
  t.deepEqual(pathsOf({ code: 'A', type: 'fixed', value_cents: 500 }), []);
  t.deepEqual(pathsOf({ code: 'A', type: 'free_shipping' }), []);
  t.deepEqual(pathsOf({ code: 'A', type: 'percent', value: 5, value_cents: 0 }), []);
  t.deepEqual(pathsOf({ code: 'A', type: 'fixed', value_cents: 500, value: 0 }), []);
  t.deepEqual(pathsOf({ code: 'A', type: 'free_shipping', value: 0, value_cents: '' }), []);
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

test('holdPromo, releasePromo and redeemPromo affect one customer and one code', async (t) => {
  const { ctx } = t.context;
  const promos = [await buildPromo(ctx), await buildPromo(ctx)];
  const emails = ['ada@example.com', 'grace@example.com'];
  const uses = promos.flatMap(({ id: promoId }) => emails.map((customerEmail) => ({ promoId, customerEmail })));
  const usesOfAll = () => Promise.all(uses.map(({ promoId, customerEmail }) => usesOf(ctx, promoId, customerEmail)));
  const [first = { promoId: '', customerEmail: '' }, ...others] = uses;
  for (const use of others) await hold(ctx, use);
  const rest = others.map(() => ({ held: 1, used: 0 }));

  await hold(ctx, first);
  t.deepEqual(await usesOfAll(), [{ held: 1, used: 0 }, ...rest]);
  await release(ctx, first);
  t.deepEqual(await usesOfAll(), [{ held: 0, used: 0 }, ...rest]);
  await hold(ctx, first);
  await redeem(ctx, { ...first, orderId: 'ord_1' });
  t.deepEqual(await usesOfAll(), [{ held: 0, used: 1 }, ...rest]);
  await hold(ctx, first);
  await release(ctx, first);
  t.deepEqual(await usesOfAll(), [{ held: 0, used: 1 }, ...rest]);
  t.deepEqual(await Promise.all(promos.map(({ id }) => usesOf(ctx, id))), [
    { held: 1, used: 1 },
    { held: 2, used: 0 },
  ]);
});

test('redeemPromo counts a use of an order without any email', async (t) => {
  const { ctx } = t.context;
  const promo = await buildPromo(ctx);
  await hold(ctx, { promoId: promo.id });
  await redeem(ctx, { promoId: promo.id, orderId: 'ord_1' });
  t.deepEqual(await usesOf(ctx, promo.id), { held: 0, used: 1 });
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

test('redeemPromo ends the hold of the order, and none of other orders of the two emails', async (t) => {
  const { ctx } = t.context;
  const promo = await buildPromo(ctx);
  const held = { promoId: promo.id, customerEmail: 'grace@example.com' };
  for (const customerEmail of ['grace@example.com', 'grace@example.com', 'ada@example.com'])
    await hold(ctx, { promoId: promo.id, customerEmail });
  await redeem(ctx, { ...held, orderId: 'ord_1', paidBy: 'ada@example.com' });
  t.deepEqual(await usesOf(ctx, promo.id, 'grace@example.com'), { held: 1, used: 1 });
  t.deepEqual(await usesOf(ctx, promo.id, 'ada@example.com'), { held: 1, used: 1 });
  t.deepEqual(await usesOf(ctx, promo.id), { held: 2, used: 1 });
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
    lineDiscountsCents: only(0, 300),
  });
  t.is((await quotePromo(ctx, { code: promo.code, currency: 'EUR', lines })).reason, 'not_applicable');
});

test('quotePromo finds a code from every keyboard', async (t) => {
  const { ctx } = t.context;
  await buildPromo(ctx, { code: 'INDIRIM10' });
  for (const typed of ['indirim10', 'İNDİRİM10', 'ＩＮＤＩＲＩＭ１０', '\u200findirim١٠'])
    t.like(await quote(ctx, typed), { valid: true, code: 'INDIRIM10' }, typed);
});

test('quotePromo does not find codes of another store', async (t) => {
  const { ctx, services } = t.context;
  const promo = await buildPromo(ctx);
  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  t.is((await quote(otherStore, promo.code)).reason, 'not_applicable');
  await t.throwsAsync(hold(otherStore, { promoId: promo.id }), { code: 'promo_not_applicable' });
});

const holdCard = (ctx: Context, amount: GiftCardAmount) => transact(ctx, (ctx) => holdGiftCard(ctx, amount));
const releaseCard = (ctx: Context, amount: GiftCardAmount) => transact(ctx, (ctx) => releaseGiftCard(ctx, amount));

const redeemCard = (ctx: Context, amount: GiftCardAmount & { orderId: string; isHeld?: boolean }) =>
  transact(ctx, (ctx) => redeemGiftCard(ctx, amount));

test('saveGiftCard keeps the balance of an existing card', async (t) => {
  const { ctx } = t.context;
  const save = (balance_cents: number, options = {}) =>
    transact(ctx, (ctx) => saveGiftCard(ctx, { code: 'ABCD-EFGH-JKLM-NPQR', balance_cents }, options));

  t.like(await save(5000), { subject: 'gift card …NPQR', action: 'created' });
  t.is((await save(9000)).action, 'unchanged');
  t.like(await quoteGiftCard(ctx, { code: 'abcd efgh jklmnpqr', orderTotalCents: 1200 }), {
    valid: true,
    last4: 'NPQR',
    currency: 'USD',
    balanceCents: 5000,
    appliedCents: 1200,
    remainingDueCents: 0,
    reason: null,
  });

  t.like(await quoteGiftCard(ctx, { code: 'ＡＢＣＤーefghＪＫＬＭ－ＮＰＱＲ', orderTotalCents: 1200 }), {
    valid: true,
  });

  const card = await quoteGiftCard(ctx, { code: 'ABCDEFGHJKLMNPQR', orderTotalCents: 8000 });
  t.like(card, { appliedCents: 5000, remainingDueCents: 3000 });
  await holdCard(ctx, { giftCardId: card.giftCardId ?? '', amountCents: 2000 });
  t.like(await save(100, { setBalance: true }), { action: 'updated', fields: only('balance_cents') });
  t.deepEqual(await balanceOf(ctx, card.giftCardId ?? ''), { balance: 2000, held: 2000 });
});

test('saveGiftCard stores no readable code', async (t) => {
  const { ctx } = t.context;
  const { code } = await buildGiftCard(ctx);
  const rows = await read<object>(ctx, sql`select * from gift_cards where tenant_id = ${ctx.tenant.id}`);
  t.is(rows.length, 1);
  t.false(JSON.stringify(rows).replaceAll('-', '').toUpperCase().includes(code.replaceAll('-', '')));
});

test('holdGiftCard grants the whole balance to one of two concurrent checkouts', async (t) => {
  const { ctx } = t.context;
  const { id: giftCardId } = await buildGiftCard(ctx, { balanceCents: 5000 });
  const requested = await Promise.allSettled([
    holdCard(ctx, { giftCardId, amountCents: 5000 }),
    holdCard(ctx, { giftCardId, amountCents: 5000 }),
  ]);
  const refused = requested.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  t.is(refused.length, 1);
  t.like(refused[0], { code: 'gift_card_not_applicable', extensions: { reason: 'in_use' } });
  t.deepEqual(await balanceOf(ctx, giftCardId), { balance: 5000, held: 5000 });
});

test('redeemGiftCard deducts an order once, and releaseGiftCard frees its amount', async (t) => {
  const { ctx } = t.context;
  const { id: giftCardId, code } = await buildGiftCard(ctx, { balanceCents: 5000 });
  const amount = { giftCardId, amountCents: 3000 };
  await holdCard(ctx, amount);
  await releaseCard(ctx, amount);
  await holdCard(ctx, amount);
  t.true(await redeemCard(ctx, { ...amount, orderId: 'ord_1' }));
  t.true(await redeemCard(ctx, { ...amount, orderId: 'ord_1' }));
  t.deepEqual(await balanceOf(ctx, giftCardId), { balance: 2000, held: 0 });
  t.like(await quoteGiftCard(ctx, { code, orderTotalCents: 2500 }), { appliedCents: 2000, remainingDueCents: 500 });
});

test('redeemGiftCard deducts an unheld amount from the free balance, or returns false', async (t) => {
  const { ctx } = t.context;
  const { id: giftCardId, code } = await buildGiftCard(ctx, { balanceCents: 5000 });
  await holdCard(ctx, { giftCardId, amountCents: 3000 });
  t.false(await redeemCard(ctx, { giftCardId, amountCents: 2001, orderId: 'ord_1', isHeld: false }));
  t.true(await redeemCard(ctx, { giftCardId, amountCents: 2000, orderId: 'ord_2', isHeld: false }));
  t.deepEqual(await balanceOf(ctx, giftCardId), { balance: 3000, held: 3000 });

  await redeemCard(ctx, { giftCardId, amountCents: 3000, orderId: 'ord_3' });
  t.like(await quoteGiftCard(ctx, { code, orderTotalCents: 100 }), { valid: false, appliedCents: 0, reason: 'empty' });
});

test('returnGiftCard returns of each order at most what it deducted, each time as a new version of the card', async (t) => {
  const { ctx } = t.context;
  const { id: giftCardId } = await buildGiftCard(ctx, { balanceCents: 5000 });
  const [orderId, other] = ['ord_1', 'ord_2'] as const;
  for (const [id, amountCents] of [
    [orderId, 2000],
    [other, 1500],
  ] as const)
    await redeemCard(ctx, { giftCardId, amountCents, orderId: id, isHeld: false });
  const versionOf = async () =>
    (
      await read<{ version: number }>(
        ctx,
        sql`select version from gift_cards where tenant_id = ${ctx.tenant.id} and id = ${giftCardId}`,
      )
    )[0]?.version ?? 0;
  const leftOf = (orderId: string) => transact(ctx, (ctx) => leftToReturn(ctx, { orderId }));
  const before = await versionOf();
  t.deepEqual([await leftOf(orderId), await leftOf(other)], [2000, 1500]);
  for (const [time, left] of [800, 0, 0].entries()) {
    await transact(ctx, (ctx) => returnGiftCard(ctx, { orderId, amountCents: 1200 }));
    t.deepEqual([await leftOf(orderId), await leftOf(other)], [left, 1500]);
    t.deepEqual(await balanceOf(ctx, giftCardId), { balance: 3500 - left, held: 0 });
    t.is(await versionOf(), before + Math.min(time + 1, 2));
  }
});

test('quoteGiftCard applies the whole order or what the provider can charge of the rest', async (t) => {
  const { ctx } = t.context;
  const inDinars = { ...ctx, tenant: { ...ctx.tenant, currency: 'KWD' } };
  const { code } = await buildGiftCard(inDinars, { balanceCents: 1234 });
  for (const [orderTotalCents, appliedCents] of [
    [5000, 1230],
    [1240, 1230],
    [1230, 1230],
    [500, 500],
  ] as const) {
    t.like(await quoteGiftCard(inDinars, { code, orderTotalCents }), {
      valid: true,
      appliedCents,
      remainingDueCents: orderTotalCents - appliedCents,
    });
  }
  t.like(await quoteGiftCard(ctx, { code, orderTotalCents: 500 }), { valid: false, reason: 'not_applicable' });
});

test('quoteGiftCard says that a card is empty whose rest the provider cannot charge', async (t) => {
  const { ctx } = t.context;
  const inDinars = { ...ctx, tenant: { ...ctx.tenant, currency: 'KWD' } };
  const { id: giftCardId, code } = await buildGiftCard(inDinars, { balanceCents: 1234 });
  const quote = () => quoteGiftCard(inDinars, { code, orderTotalCents: 5000 });
  await transact(inDinars, (ctx) => holdGiftCard(ctx, { giftCardId, amountCents: 1230 }));
  t.like(await quote(), { valid: false, appliedCents: 0, remainingDueCents: 5000, reason: 'in_use' });
  await transact(inDinars, (ctx) => redeemGiftCard(ctx, { giftCardId, orderId: 'ord_1', amountCents: 1230 }));
  t.like(await quote(), { valid: false, appliedCents: 0, remainingDueCents: 5000, reason: 'empty' });
});

test('disableGiftCard makes a card unknown to new checkouts and keeps its holds', async (t) => {
  const { ctx } = t.context;
  const { id: giftCardId, code } = await buildGiftCard(ctx);
  await holdCard(ctx, { giftCardId, amountCents: 1000 });
  const disable = () => transact(ctx, (ctx) => disableGiftCard(ctx, { giftCardId }));
  t.is((await disable()).action, 'updated');
  t.is((await disable()).action, 'unchanged');

  const unknown = await quoteGiftCard(ctx, { code: 'AAAA-AAAA-AAAA-AAAA', orderTotalCents: 100 });
  t.deepEqual(await quoteGiftCard(ctx, { code, orderTotalCents: 100 }), unknown);
  t.is(unknown.reason, 'not_applicable');
  await t.throwsAsync(holdCard(ctx, { giftCardId, amountCents: 1 }), { code: 'gift_card_not_applicable' });
  t.true(await redeemCard(ctx, { giftCardId, amountCents: 1000, orderId: 'ord_1' }));
  await t.throwsAsync(
    transact(ctx, (ctx) => disableGiftCard(ctx, { giftCardId: 'gift_none' })),
    { code: 'not_found' },
  );
});

test('quoteGiftCard does not find cards of another store', async (t) => {
  const { ctx, services } = t.context;
  const { id: giftCardId, code } = await buildGiftCard(ctx);
  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  t.is((await quoteGiftCard(otherStore, { code, orderTotalCents: 100 })).reason, 'not_applicable');
  await t.throwsAsync(holdCard(otherStore, { giftCardId, amountCents: 1 }), { code: 'gift_card_not_applicable' });
});

test('gift card balances stay consistent after random holds, releases and redemptions', async (t) => {
  const { ctx } = t.context;
  const steps = fc.array(
    fc.record({ end: fc.constantFrom('release', 'redeem', 'keep'), amountCents: fc.integer({ min: 1, max: 2000 }) }),
    { maxLength: 12 },
  );
  await t.notThrowsAsync(
    fc.assert(
      fc.asyncProperty(steps, async (steps) => {
        const { id: giftCardId } = await buildGiftCard(ctx, { balanceCents: 5000 });
        const ended = await Promise.all(
          steps.map(async ({ end, amountCents }, index) => {
            const isHeld = await holdCard(ctx, { giftCardId, amountCents }).then(
              () => true,
              () => false,
            );
            if (isHeld && end === 'release') await releaseCard(ctx, { giftCardId, amountCents });
            if (isHeld && end === 'redeem') await redeemCard(ctx, { giftCardId, amountCents, orderId: `ord_${index}` });
            return {
              used: isHeld && end === 'redeem' ? amountCents : 0,
              held: isHeld && end === 'keep' ? amountCents : 0,
            };
          }),
        );
        const used = ended.reduce((sum, step) => sum + step.used, 0);
        const held = ended.reduce((sum, step) => sum + step.held, 0);
        t.deepEqual(await balanceOf(ctx, giftCardId), { balance: 5000 - used, held });
        t.true(used + held <= 5000);
      }),
      { numRuns: 20 },
    ),
  );
});
