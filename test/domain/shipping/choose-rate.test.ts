import test from 'ava';
import fc from 'fast-check';

import { chooseCheapest, sortedByCost } from '#src/domain/shipping/choose-rate.ts';
import { rate } from '#test/support/fakes/shipping-gateway.ts';

const choose = (
  rates: Parameters<typeof sortedByCost>[0],
  carriers: readonly string[] = [],
  requestedManually = false,
) => chooseCheapest(sortedByCost(rates, carriers, 'USD'), 'USD', { requestedManually });

test('the cheapest rate of an enabled carrier is chosen', (t) => {
  const rates = [
    rate({ id: 'dear', amountCents: 900 }),
    rate({ id: 'cheap', amountCents: 700, carrier: 'ups' }),
    rate({ id: 'foreign', amountCents: 500, carrier: 'dhl_express' }),
  ];
  t.is(choose(rates, ['usps', 'ups'])?.id, 'cheap');
  t.is(choose(rates)?.id, 'foreign');
});

test('of equal amounts the faster is chosen, then the carrier that the store names first', (t) => {
  const rates = [
    rate({ id: 'unknown', estimatedDays: null }),
    rate({ id: 'slow', estimatedDays: 5 }),
    rate({ id: 'ups', estimatedDays: 2, carrier: 'ups' }),
    rate({ id: 'usps', estimatedDays: 2 }),
  ];
  t.is(choose(rates, ['ups', 'usps'])?.id, 'ups');
  t.is(choose(rates, ['usps', 'ups'])?.id, 'usps');
});

test('a rate in another currency is chosen only on request, where there is no second one', (t) => {
  const [cad, dear, eur, home] = [
    rate({ id: 'cad', amountCents: 2, currency: 'CAD' }),
    rate({ id: 'dear', amountCents: 3, currency: 'CAD' }),
    rate({ id: 'eur', amountCents: 1, currency: 'EUR' }),
    rate({ id: 'home', amountCents: 900 }),
  ];
  for (const requested of [false, true]) {
    t.is(choose([dear, cad, home, eur], [], requested)?.id, 'home');
    t.is(choose([dear, cad, eur], [], requested), undefined, 'which one is the cheapest is not known');
    t.is(choose([dear, cad], [], requested)?.id, requested ? 'cad' : undefined);
  }
  t.deepEqual(
    sortedByCost([eur, dear, home, cad], [], 'USD').map(({ id }) => id),
    ['home', 'cad', 'dear', 'eur'],
  );
});

const rates = fc.array(
  fc
    .record({
      id: fc.uuid(),
      amountCents: fc.integer({ min: 1, max: 5 }),
      estimatedDays: fc.option(fc.integer({ min: 1, max: 3 })),
      carrier: fc.constantFrom('usps', 'ups', 'fedex'),
    })
    .map((given) => rate(given)),
  { maxLength: 12 },
);

test('the choice does not depend on the order in which rates come', (t) => {
  fc.assert(
    fc.property(rates, fc.constantFrom([], ['ups'], ['ups', 'usps']), (rates, carriers) => {
      t.is(choose(rates, carriers)?.id, choose(rates.toReversed(), carriers)?.id);
      const [first, ...others] = sortedByCost(rates, carriers, 'USD');
      t.true(others.every(({ amountCents }) => first !== undefined && first.amountCents <= amountCents));
    }),
  );
});
