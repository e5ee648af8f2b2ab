import test from 'ava';
import fc from 'fast-check';
import { Order } from '#src/domain/orders/index.ts';
import { labelReasonCodes } from '#src/domain/shipping/index.ts';

/** An order as the unit of work makes one: without its constructor. */
const order = () => Object.assign<Order, Partial<Order>>(Object.create(Order.prototype), { attentions: [] });

const codesOf = ({ attentions }: Order) => attentions.map(({ code }) => code);

test('Order.flag puts the most urgent attention first and replaces one of the same code', (t) => {
  const one = order();
  t.true(one.flag({ code: 'no_rates', detail: 'Refused.\ncarrier_error: none' }));
  t.true(one.flag({ code: 'oversold', detail: 'There is not enough of it.' }));
  t.true(one.flag({ code: 'disputed', detail: 'The bank asks: why?' }));
  t.false(one.flag({ code: 'disputed', detail: 'The bank asks again.' }));
  t.deepEqual(one.attentions, [
    { code: 'disputed', detail: 'The bank asks again.' },
    { code: 'oversold', detail: 'There is not enough of it.' },
    { code: 'no_rates', detail: 'Refused.\ncarrier_error: none' },
  ]);
});

const code = fc.constantFrom(
  'disputed',
  'dispute_lost',
  'paid_twice',
  'amount_mismatch',
  'payment_missing',
  'refund_failed',
  'gift_card_spent',
  'duplicate_subscription',
  'renewal_unknown',
  'duplicate_voided',
  'label_not_refunded',
  'oversold',
  ...labelReasonCodes,
);
const step = fc.oneof(
  fc.record({ opens: code, detail: fc.string() }),
  fc.record({ closes: fc.array(code, { maxLength: 3 }) }),
);

test('Order opens and closes attentions in any sequence without closing another', (t) => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const one = order();
      const open = new Map<string, string>();
      for (const step of steps) {
        if ('opens' in step) {
          one.flag({ code: step.opens, detail: step.detail });
          open.set(step.opens, step.detail);
        } else {
          one.resolve(...step.closes);
          step.closes.forEach((code) => open.delete(code));
        }
        t.deepEqual(
          Object.fromEntries(one.attentions.map(({ code, detail }) => [code, detail])),
          Object.fromEntries(open),
        );
        t.is(new Set(codesOf(one)).size, one.attentions.length);
      }
    }),
  );
});
