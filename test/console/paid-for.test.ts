import test from 'ava';

import { paidFor } from '#src/console/src/pages/orders/paid-for.ts';

const order = {
  currency: 'USD',
  subtotal_cents: 10_000,
  discount_cents: 1000,
  gift_card_cents: 0,
  shipping_cents: 599,
  total_cents: 9599,
};
const [bowl, plate] = [{ total_cents: 6000 }, { total_cents: 3000 }];

for (const [circumstance, changed, ofBowl, ofBoth] of [
  ['without tax', {}, 6000, 9000],
  ['with tax', { total_cents: 10_320 }, 6480, 9721],
  ['with tax and a gift card', { total_cents: 5320, gift_card_cents: 5000 }, 6480, 9721],
  ['in a currency whose least coin is ten units', { currency: 'KWD', total_cents: 10_320 }, 6480, 9720],
  ['that was free', { subtotal_cents: 1000, total_cents: 599 }, 0, 0],
] as const)
  test(`what was paid for the items of an order ${circumstance} includes tax and excludes shipping`, (t) => {
    const changedOrder = { ...order, ...changed };
    t.is(paidFor(changedOrder, [bowl]), ofBowl);
    t.is(paidFor(changedOrder, [bowl, plate]), ofBoth);
  });
