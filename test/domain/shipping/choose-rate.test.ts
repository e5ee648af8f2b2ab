import test from 'ava';
import fc from 'fast-check';
import { chooseCheapest, sortedByCost } from '#src/domain/shipping/choose-rate.ts';
import { rate } from '#test/support/fakes/shipping-gateway.ts';

const choose = (rates: Parameters<typeof chooseCheapest>[0], carriers: readonly string[] = []) =>
  chooseCheapest(rates, carriers, 'USD');

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

test('a rate in another currency is never the cheapest', (t) => {
  t.is(choose([rate({ amountCents: 1, currency: 'CAD' })]), undefined);
  t.is(choose([rate({ id: 'home', amountCents: 900 }), rate({ amountCents: 1, currency: 'CAD' })])?.id, 'home');
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
      const [first, ...others] = sortedByCost(rates, carriers);
      t.true(others.every(({ amountCents }) => first !== undefined && first.amountCents <= amountCents));
    }),
  );
});
