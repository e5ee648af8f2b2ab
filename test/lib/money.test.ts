import test from 'ava';
import fc from 'fast-check';
import { checkPromo } from '#src/domain/promotions/check-promo.ts';
import { chargeStepOf, decimalsOf, fromDecimal, minimumChargeOf, toDecimal } from '#src/lib/currency.ts';
import { formatMoney } from '#src/lib/format-money.ts';
import { percentOf, spread } from '#src/lib/money.ts';

test('a percentage is rounded half up to whole cents', (t) => {
  t.is(percentOf(1000, 10), 100);
  t.is(percentOf(1005, 10), 101);
  t.is(percentOf(1004, 10), 100);
  t.is(percentOf(999, 33.3333), 333);
  t.is(percentOf(3800, 0), 0);
  t.is(percentOf(3800, 100), 3800);
});

test('a percentage of the largest amount is exact', (t) => {
  t.is(percentOf(99_999_999, 12.3456), 12_345_600);
});

test('a discount is spread in proportion, and the remaining cents go to the largest remainders', (t) => {
  t.deepEqual(spread(100, [1, 1, 1]), [34, 33, 33]);
  t.deepEqual(spread(10, [1, 2]), [3, 7]);
  t.deepEqual(spread(5, [0, 0]), [5, 0]);
  t.deepEqual(spread(0, [3, 4]), [0, 0]);
  t.deepEqual(spread(7, []), []);
});

test('the parts of a discount add up to it, whatever the weights', (t) => {
  const cents = fc.integer({ min: 0, max: 99_999_999 });
  fc.assert(
    fc.property(cents, fc.array(cents, { minLength: 1, maxLength: 40 }), (total, weights) => {
      const parts = spread(total, weights);
      t.is(
        parts.reduce((sum, part) => sum + part, 0),
        total,
      );
      t.true(parts.every((part) => part >= 0));
    }),
  );
});

test('no part of a discount is larger than the line that it falls on', (t) => {
  const lines = fc.array(fc.integer({ min: 0, max: 1_000_000 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(lines, fc.integer({ min: 0, max: 100 }), (amounts, percent) => {
      const subtotal = amounts.reduce((sum, amount) => sum + amount, 0);
      const parts = spread(percentOf(subtotal, percent), amounts);
      t.true(parts.every((part, index) => part <= (amounts[index] ?? 0)));
    }),
  );
});

/** Every currency that a store file accepts. */
const currencies = Intl.supportedValuesOf('currency');

const currency = fc.constantFrom(...currencies);
const cents = fc.integer({ min: 0, max: 99_999_999 });

/** What the format of a locale printed, without its separators of thousands. */
const numberIn = (text: string) => Number(/[\d,]+(\.\d+)?$/.exec(text)?.[0].replaceAll(',', ''));

test("decimalsOf returns the payment provider's number of decimals, also where Intl has another", (t) => {
  const expected = {
    USD: 2,
    JPY: 0,
    KRW: 0,
    KWD: 3,
    HUF: 2,
    ISK: 2,
    UGX: 2,
    IDR: 2,
    COP: 2,
    TWD: 2,
    CLP: 0,
    MGA: 0,
    VND: 0,
    XAF: 0,
    TND: 3,
    LBP: 2,
    RSD: 2,
  };
  for (const [currency, decimals] of Object.entries(expected)) t.is(decimalsOf(currency), decimals, currency);
});

test('formatMoney prints the amount that the provider charges, in every currency', (t) => {
  t.is(formatMoney(150_000, 'HUF', 'en-US').replace(/\s/, ' '), 'HUF 1,500');
  t.is(formatMoney(150_000, 'IDR', 'en-US').replace(/\s/, ' '), 'IDR 1,500');
  t.is(formatMoney(1500, 'JPY', 'en-US'), '¥1,500');
  t.is(formatMoney(50_000, 'ISK', 'en-US').replace(/\s/, ' '), 'ISK 500');
  t.is(formatMoney(50_050, 'COP', 'en-US').replace(/\s/, ' '), 'COP 500.50');
  fc.assert(
    fc.property(currency, cents, (currency, amount) => {
      t.is(
        numberIn(formatMoney(amount, currency, 'en-US')),
        amount / 10 ** decimalsOf(currency),
        `${amount} ${currency}`,
      );
    }),
    { numRuns: 2000 },
  );
});

test('fromDecimal reverses toDecimal in every currency', (t) => {
  fc.assert(
    fc.property(currency, cents, (currency, amount) =>
      t.is(fromDecimal(toDecimal(amount, currency), currency), amount),
    ),
  );
  t.is(fromDecimal('8.405', 'USD'), 841);
  t.is(fromDecimal('840', 'JPY'), 840);
  t.is(fromDecimal('8', 'KWD'), 8000);
});

test('every minimum charge is an amount that can be charged', (t) => {
  for (const currency of currencies) t.is(minimumChargeOf(currency) % chargeStepOf(currency), 0, currency);
});

test('checkPromo leaves amounts that the provider charges, in every currency and on every line', (t) => {
  const terms = fc.oneof(
    fc.record({
      type: fc.constant('percent' as const),
      percent: fc.integer({ min: 1, max: 1_000_000 }).map((parts) => parts / 10_000),
      valueCents: fc.constant(null),
    }),
    fc.record({
      type: fc.constant('fixed' as const),
      percent: fc.constant(null),
      valueCents: fc.integer({ min: 1, max: 9_999_999 }),
    }),
  );
  const lines = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(currency, terms, lines, (currency, given, units) => {
      const step = chargeStepOf(currency);
      const promo = {
        ...given,
        currency,
        minSubtotalCents: 0,
        usageLimit: null,
        perCustomerLimit: null,
        products: [],
        startsAt: null,
        endsAt: null,
        used: 0,
        usedByCustomer: 0,
      };
      const totals = units.map((unit) => unit * step);
      const check = checkPromo(
        promo,
        { lines: totals.map((totalCents) => ({ productSlug: 'bowl', totalCents })) },
        new Date(),
      );
      if (check.reason !== null) return t.fail(check.reason);
      t.is(check.discountCents % step, 0);
      check.lineDiscountsCents.forEach((part, index) => t.true(part % step === 0 && part <= (totals[index] ?? 0)));
    }),
    { numRuns: 1000 },
  );
});
