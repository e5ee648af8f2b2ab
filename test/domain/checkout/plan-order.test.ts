import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';

import type { PricedLine } from '#src/domain/catalog/index.ts';
import { planOrder } from '#src/domain/checkout/plan-order.ts';
import type { CheckoutQuote } from '#src/domain/checkout/quote-checkout.ts';
import { hours } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { spread } from '#src/lib/money.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const variants = Array.from({ length: 4 }, () => ({ productId: newId('prod'), variantId: newId('var') }));

const line = fc.record({
  variant: fc.constantFrom(...variants),
  quantity: fc.integer({ min: 1, max: 20 }),
  unitPriceCents: fc.integer({ min: 0, max: 100_000 }),
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
  const ships = lines.some((line) => line.ships);
  return {
    lines,
    subtotalCents,
    ships,
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
    shipping: ships ? { countries: ['US'], options: given.options } : undefined,
  };
}

test('planOrder requests the amounts of the order, for any purchase', (t) => {
  const { ctx } = t.context;
  t.notThrows(() =>
    fc.assert(
      fc.property(quotes, (given) => {
        const quote = quoteOf(given);
        let plan: ReturnType<typeof planOrder>;
        try {
          plan = planOrder(ctx, {}, quote, { sessionLifetimeMs: hours(1), automaticTax: false }, null);
        } catch (error) {
          return error instanceof DomainError && error.code === 'amount_too_small';
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
