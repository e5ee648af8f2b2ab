import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import { transact } from '#src/database/transact.ts';
import {
  type FulfillmentUpdate,
  hasBought,
  Order,
  orderForShipping,
  readOrder,
  recordFulfillment,
} from '#src/domain/orders/index.ts';
import { labelReasonCodes } from '#src/domain/shipping/label-reasons.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { ForbiddenTransition } from '#src/lib/state-table.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { recorded } from '#test/support/enqueued-jobs.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

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

const label = (given: object = {}) => ({
  carrier: 'USPS',
  service: 'Ground Advantage',
  tracking_number: '9400',
  tracking_url: null,
  status: 'PRE_TRANSIT',
  ...given,
});

const record = ({ ctx }: TestContext, orderId: string, update: FulfillmentUpdate) =>
  transact(ctx, (ctx) => recordFulfillment(ctx, orderId, update));

test('order.shipped and order.delivered are recorded once each, and other changes as order.updated', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await record(t.context, id, { status: 'label_purchased', label: label() });
  await record(t.context, id, { status: 'shipped' });
  const shippedAt = (await readOrder(ctx, id))?.shipped_at;
  await record(t.context, id, { status: 'shipped' });
  await record(t.context, id, { status: 'exception' });
  await record(t.context, id, { status: 'shipped' });
  await record(t.context, id, { status: 'delivered' });
  await record(t.context, id, { status: 'delivered' });
  t.deepEqual(await recorded(ctx, id), [
    'order.updated',
    'order.shipped',
    'order.updated',
    'order.updated',
    'order.delivered',
  ]);
  t.like(await readOrder(ctx, id), { fulfillment_status: 'delivered', shipped_at: shippedAt, labels: only(label()) });
});

test('an order that is delivered without a transit update was shipped too', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await record(t.context, id, { status: 'delivered' });
  t.deepEqual(await recorded(ctx, id), ['order.shipped', 'order.delivered']);
});

test('order.updated is recorded of paid orders, where what changes is shown', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await record(t.context, id, { attention: { code: 'disputed', detail: 'Respond.' } });
  t.deepEqual(await recorded(ctx, id), []);
  await record(t.context, id, { label: label(), resolved: ['disputed'] });
  await record(t.context, id, { label: label() });
  t.deepEqual(await recorded(ctx, id), ['order.updated']);

  const unpaid = await buildPaidOrder(ctx, { status: 'pending' });
  await record(t.context, unpaid.id, { status: 'not_required' });
  t.deepEqual(await recorded(ctx, unpaid.id), []);
});

test('recordFulfillment of what is known already changes no version', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await record(t.context, id, { status: 'label_purchased', label: label() });
  const before = await readOrder(ctx, id);
  await record(t.context, id, { status: 'label_purchased', label: label() });
  t.is((await readOrder(ctx, id))?.version, before?.version);
  await record(t.context, id, { label: label({ status: 'TRANSIT' }) });
  const after = await readOrder(ctx, id);
  t.is(after?.version, (before?.version ?? 0) + 1);
  t.deepEqual(after?.labels, [label({ status: 'TRANSIT' })]);
});

test('recordFulfillment adds a second parcel beside the first', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await record(t.context, id, { label: label() });
  await record(t.context, id, { label: label({ tracking_number: '9401' }) });
  t.deepEqual(
    (await readOrder(ctx, id))?.labels.map(({ tracking_number }) => tracking_number),
    ['9400', '9401'],
  );
});

test('recordFulfillment opens an attention and closes it', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await record(t.context, id, {
    status: 'needs_attention',
    attention: { code: 'no_rates', detail: 'No carrier goes there.' },
  });
  t.deepEqual((await orderForShipping(ctx, id))?.attentionCodes, ['no_rates']);
  await record(t.context, id, { status: 'label_purchased', resolved: ['no_rates'] });
  t.like(await orderForShipping(ctx, id), { attentionCodes: [], fulfillmentStatus: 'label_purchased' });
});

test('recordFulfillment leaves the attentions of other causes open', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx, { attentionCodes: ['paid_twice', 'disputed', 'refund_failed'] });
  const codes = async () => (await orderForShipping(ctx, id))?.attentionCodes;
  await record(t.context, id, { attention: { code: 'duplicate_voided', detail: 'A second label was bought.' } });
  t.deepEqual(await codes(), ['disputed', 'paid_twice', 'refund_failed', 'duplicate_voided']);
  await record(t.context, id, { resolved: ['duplicate_voided'] });
  t.deepEqual(await codes(), ['disputed', 'paid_twice', 'refund_failed']);
});

test("recordFulfillment rejects a step back, and does not find another store's order", async (t) => {
  const { ctx, services } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await record(t.context, id, { status: 'delivered' });
  await t.throwsAsync(record(t.context, id, { status: 'shipped' }), { instanceOf: ForbiddenTransition });
  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  await t.throwsAsync(
    transact(otherStore, (ctx) => recordFulfillment(ctx, id, {})),
    { instanceOf: DomainError },
  );
  t.is(await readOrder(otherStore, id), undefined);
  t.is(await readOrder(ctx, newId('ord')), undefined);
});

test.serial('an order with its items and labels is read with one statement', async (t) => {
  const { ctx, services } = t.context;
  const { id } = await buildPaidOrder(ctx, { items: [{ quantity: 2 }, { name: 'Spoon', unitPriceCents: 900 }] });
  const { result, statements } = await countStatements(services, () => readOrder(ctx, id));
  t.is(statements.length, 1);
  t.deepEqual(
    result?.items.map(({ name, quantity, total_cents }) => [name, quantity, total_cents]),
    [
      ['Oak bowl', 2, 7600],
      ['Spoon', 1, 900],
    ],
  );
});

test('hasBought finds a product in a paid order of this customer only', async (t) => {
  const { ctx } = t.context;
  const email = 'ada@example.com';
  const productOf = async ({ id }: { id: string }) => (await readOrder(ctx, id))?.items[0]?.product_id ?? '';
  const bought = await productOf(await buildPaidOrder(ctx, { email }));
  const pending = await productOf(await buildPaidOrder(ctx, { email, status: 'pending' }));
  const ofOther = await productOf(await buildPaidOrder(ctx, { email: 'grace@example.com' }));
  const found = [];
  for (const productId of [bought, pending, ofOther]) found.push(await hasBought(ctx, { email, productId }));
  t.deepEqual(found, [true, false, false]);
});
