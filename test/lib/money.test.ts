import test from 'ava';
import fc from 'fast-check';

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
