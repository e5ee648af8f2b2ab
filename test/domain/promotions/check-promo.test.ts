import test from 'ava';
import fc from 'fast-check';

import { checkPromo, type PromoCheck, type PromoTerms } from '#src/domain/promotions/check-promo.ts';

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
