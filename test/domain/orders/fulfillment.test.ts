import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { type FulfillmentUpdate, orderForShipping, readOrder, recordFulfillment } from '#src/domain/orders/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { ForbiddenTransition } from '#src/lib/state-table.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { recorded } from '#test/support/enqueued-jobs.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

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

test('order.shipped and order.delivered are recorded once each', async (t) => {
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
  t.deepEqual(await recorded(ctx, id), ['order.shipped', 'order.delivered']);
  t.like(await readOrder(ctx, id), { fulfillment_status: 'delivered', shipped_at: shippedAt, labels: [label()] });
});

test('an order that is delivered without a transit update was shipped too', async (t) => {
  const { ctx } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await record(t.context, id, { status: 'delivered' });
  t.deepEqual(await recorded(ctx, id), ['order.shipped', 'order.delivered']);
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
