import test from 'ava';

import { Order } from '#src/domain/orders/index.ts';

/** An order as the unit of work makes one: without its constructor. */
function order(): Order {
  return Object.assign<Order, Partial<Order>>(Object.create(Order.prototype), { attentionCode: null, attentionDetail: null });
}

test('what is the matter is said once, in the order in which it came, and goes one by one', (t) => {
  const one = order();
  t.true(one.raise({ code: 'oversold', detail: 'There is not enough of it.' }));
  t.true(one.raise({ code: 'disputed', detail: 'The bank asks: why?' }));
  t.false(one.raise({ code: 'disputed', detail: 'The bank asks again.' }));
  t.is(one.attentionCode, 'oversold');
  t.is(one.attentionDetail, 'There is not enough of it.\ndisputed: The bank asks again.');
  one.withdraw('oversold');
  t.deepEqual([one.attentionCode, one.attentionDetail], ['disputed', 'The bank asks again.']);
  one.withdraw('paid_twice');
  t.is(one.attentionCode, 'disputed');
  one.withdraw('disputed');
  t.deepEqual([one.attentionCode, one.attentionDetail], [null, null]);
});

test('what a carrier says over several lines is one thing that is the matter', (t) => {
  const one = order();
  one.raise({ code: 'carrier_error', detail: 'Refused.\nreason: none\n\nCall us.' });
  t.is(one.attentionDetail, 'Refused. reason: none Call us.');
  one.raise({ code: 'paid_twice', detail: 'Two payments.' });
  one.withdraw('carrier_error');
  t.is(one.attentionCode, 'paid_twice');
  one.withdraw('paid_twice');
  t.is(one.attentionCode, null);
});
