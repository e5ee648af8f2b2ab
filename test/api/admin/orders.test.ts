import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { lockOrder, savePastOrders } from '#src/domain/orders/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { buildPaidOrder, type GivenOrder, newYork } from '#test/support/factories/orders.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildReturn, buildReturnableOrder } from '#test/support/factories/returns.ts';
import { buildEndpoint, receiverFor } from '#test/support/factories/webhooks.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { auditOf, deedsOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
const payments = fakePaymentGateway();
useOwner(test, { ports: { payments } });

/** A paid order of 3800 cents whose payment the provider knows. */
async function buildCharged(ctx: Context, given: GivenOrder = {}) {
  const paymentId = `pi_${randomText(12)}`;
  await buildPaymentAccount(ctx);
  const order = await buildPaidOrder(ctx, { paymentId, ...given });
  payments.payments.set(paymentId, {
    paymentId,
    orderId: order.id,
    tenantId: ctx.tenant.id,
    environment: 'test',
    invoiceId: null,
    currency: 'USD',
    amountCents: 3800,
    refundedCents: 0,
    dispute: null,
  });
  return order;
}

async function flag(ctx: Context, orderId: string, code: string): Promise<void> {
  await transact(ctx, async (ctx) => (await lockOrder(ctx, orderId))?.flag({ code, detail: 'Look at it.' }));
}

test('GET /admin/orders pages, and filters by status, email and attention', async (t) => {
  const { ctx, owner } = t.context;
  const [first, second, third] = [
    await buildPaidOrder(ctx),
    await buildPaidOrder(ctx, { email: 'bob@example.com' }),
    await buildPaidOrder(ctx, { status: 'pending' }),
  ];
  await flag(ctx, first.id, 'disputed');
  t.deepEqual(
    (await pagesOf(owner, '/orders', 'orders')).map((page) => page.map(({ id }) => id)),
    [[third.id, second.id], [first.id]],
  );
  const idsOf = async (query: string) => (await owner.get(`/orders?${query}`)).body.orders.map(({ id }: any) => id);
  t.deepEqual(await idsOf('status=pending'), [third.id]);
  t.deepEqual(await idsOf('email=BOB@example.com'), [second.id]);
  t.deepEqual(await idsOf('needs_attention=true'), [first.id]);
  t.deepEqual(await idsOf('needs_attention=false&fulfillment_status=unfulfilled'), [third.id, second.id]);
  t.is(resultOf(await owner.get('/orders?status=none')), '400 invalid_request');
  t.is(resultOf(await owner.get('/orders?limit=101')), '400 invalid_request');
  t.is(resultOf(await owner.get('/orders?cursor=made-up')), '400 invalid_cursor');
});

test('GET /admin/orders?q= finds an order by its number, id, email or tracking number, in its store alone', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const sought = await buildPaidOrder(ctx, { email: 'sought@example.com' });
  await buildPaidOrder(ctx);
  await owner.post(`/orders/${sought.id}/ship`, { carrier: 'USPS', tracking_number: '9400111' });
  const find = async (typed: string, by = owner) =>
    (await by.get(`/orders?${new URLSearchParams({ q: typed })}`)).body.orders.map(({ id }: any) => id);
  const { order_number: number } = (await owner.get(`/orders/${sought.id}`)).body.order;
  for (const typed of [number, number.toLowerCase(), number.replace('ORD-', ''), ` ${sought.id} `, '9400111'])
    t.deepEqual(await find(typed), [sought.id], typed);
  t.deepEqual(await find('SOUGHT@example.com'), [sought.id]);
  for (const typed of ['nobody@example.com', 'ORD-', '0', '%', "'", 'NaN']) t.deepEqual(await find(typed), [], typed);
  t.deepEqual(await find(sought.id, otherOwner), []);
});

test('GET /admin/orders?q= finds an imported order by its number, with and without its number sign', async (t) => {
  const { ctx, owner } = t.context;
  const own = await buildPaidOrder(ctx);
  const digits = own.orderNumber.replace('ORD-', '');
  const input = {
    created_at: '2024-03-01T10:00:00Z',
    items: [{ name: 'Oak bowl', quantity: 1, unit_price_cents: 1000 }],
  };
  const numbers = [digits, `#${digits}`, 'OLD-7', '007'];
  await transact(ctx, (ctx) =>
    savePastOrders(
      ctx,
      numbers.map((number) => ({ ...input, order_number: number })),
    ),
  );
  const find = async (typed: string) =>
    (await owner.get(`/orders?${new URLSearchParams({ q: typed })}`)).body.orders.map(
      (order: any) => order.order_number,
    );
  t.deepEqual((await find(digits)).toSorted(), [`#${digits}`, digits, own.orderNumber]);
  t.deepEqual(await find(`#${digits}`), [`#${digits}`]);
  t.deepEqual(await find('old-7'), ['OLD-7']);
  t.deepEqual(await find('007'), ['007']);
});

test('POST /admin/orders/{id}/receipt sends the receipt of a paid order again, once for two clicks', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const { id } = await buildPaidOrder(ctx, { email: 'ada@example.com' });
  const clicks = await Promise.all([owner.post(`/orders/${id}/receipt`), owner.post(`/orders/${id}/receipt`)]);
  t.true(clicks.some(({ status }) => status === 202));
  t.like(await read(ctx, sql`select kind, recipient from mails where tenant_id = ${ctx.tenant.id}`), [
    { kind: 'receipt', recipient: 'ada@example.com' },
  ]);
  t.is((await read(ctx, sql`select id from mails where tenant_id = ${ctx.tenant.id}`)).length, 1);
  t.deepEqual(await deedsOf(ctx), ['order.receipt_resent']);
  const unpaid = await buildPaidOrder(ctx, { status: 'pending' });
  t.is(resultOf(await owner.post(`/orders/${unpaid.id}/receipt`)), '409 no_receipt');
  t.is(resultOf(await owner.post(`/orders/${newId('ord')}/receipt`)), '404 not_found');
  t.is(resultOf(await otherOwner.post(`/orders/${id}/receipt`)), '404 not_found');
});

test('GET /admin/orders/{id} shows in its timeline which endpoint events were delivered', async (t) => {
  const { ctx, services, owner } = t.context;
  await buildEndpoint(ctx, await receiverFor(t), { events: ['order.*'] });
  const { id } = await buildPaidOrder(ctx);
  await transact(ctx, async (ctx) => recordEvent(ctx, 'order.paid', id));
  await runJobs(services);
  const { timeline } = (await owner.get(`/orders/${id}`)).body.order;
  t.deepEqual(
    timeline.filter(({ type }: any) => type.startsWith('webhook.')).map(({ type, detail }: any) => [type, detail]),
    [['webhook.delivered', 'order.paid']],
  );
});

test('GET /admin/overview counts what waits in the store, with what to do about it', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await flag(ctx, id, 'paid_twice');
  const returnable = await buildReturnableOrder(ctx);
  await buildReturn(ctx, returnable);
  const { status, body } = await owner.get('/overview');
  t.is(status, 200);
  t.like(body.overview, {
    orders_to_ship: 2,
    labels_in_progress: 0,
    labels_purchased: 0,
    returns_requested: 1,
    reviews_pending: 0,
  });
  t.like(body.overview.attention, [
    { kind: 'order', code: 'paid_twice', count: 1, next: 'Refund one of the two payments at the payment provider.' },
  ]);
  t.like((await otherOwner.get('/overview')).body.overview, { attention: [], orders_to_ship: 0, returns_requested: 0 });
});

test('GET /admin/orders/{id} shows attentions with advice, and the timeline', async (t) => {
  const { ctx, owner } = t.context;
  const order = await buildReturnableOrder(ctx);
  await buildReturn(ctx, order);
  await flag(ctx, order.id, 'paid_twice');
  const { body } = await owner.get(`/orders/${order.id}`);
  t.like(body.order, { id: order.id, order_number: order.order_number, label: null, refunds: [], status: 'paid' });
  t.deepEqual(body.order.attention, {
    code: 'paid_twice',
    detail: 'Look at it.',
    next: 'Refund one of the two payments at the payment provider.',
  });
  t.deepEqual(
    body.order.timeline.map(({ type }: any) => type),
    ['order.created', 'order.paid', 'return.requested'],
  );
  t.is(resultOf(await owner.get(`/orders/${newId('ord')}`)), '404 not_found');
});

test('GET /admin/orders/{id} lists every open attention, and dismissing one leaves the others open', async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildPaidOrder(ctx);
  for (const code of ['duplicate_voided', 'paid_twice', 'disputed']) await flag(ctx, id, code);
  const codesIn = ({ attention, attentions }: any) => [attention.code, ...attentions.map(({ code }: any) => code)];
  t.deepEqual(codesIn((await owner.get(`/orders/${id}`)).body.order), [
    'disputed',
    'disputed',
    'paid_twice',
    'duplicate_voided',
  ]);
  const { body } = await owner.post(`/orders/${id}/attention/dismiss`, { code: 'paid_twice' });
  t.deepEqual(codesIn(body.order), ['disputed', 'disputed', 'duplicate_voided']);
});

test('dismissing an attention names its code and writes an audit entry', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await flag(ctx, id, 'paid_twice');
  const dismiss = (code: string, by = owner) => by.post(`/orders/${id}/attention/dismiss`, { code });
  t.is(resultOf(await dismiss('disputed')), '409 version_conflict');
  t.is(resultOf(await dismiss('paid_twice', otherOwner)), '404 not_found');
  t.is(resultOf(await owner.post(`/orders/${id}/attention/dismiss`, {})), '400 invalid_request');
  for (let time = 0; time < 2; time += 1)
    t.like((await dismiss('paid_twice')).body.order, { attention: null, status: 'paid' });
  t.deepEqual(await deedsOf(ctx), ['order.attention_dismissed']);
  t.like(await auditOf(ctx), [{ before: { code: 'paid_twice', detail: 'Look at it.' } }]);
});

test('POST /admin/orders/{id}/ship marks the order as shipped and records its parcel', async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildPaidOrder(ctx);
  const { status, body } = await owner.post(`/orders/${id}/ship`, {
    carrier: 'USPS',
    tracking_number: '9400100000000000000000',
  });
  t.is(status, 200);
  t.like(body.order, { fulfillment_status: 'shipped' });
  t.like(body.order.labels[0], { carrier: 'USPS', tracking_number: '9400100000000000000000' });
  const happened = body.order.timeline.map(({ type, actor }: any) => `${type} ${actor?.kind ?? ''}`.trim());
  t.deepEqual(happened.toSorted(), ['order.created', 'order.fulfilled_by_hand key', 'order.paid', 'order.shipped']);
  t.deepEqual(await deedsOf(ctx), ['order.fulfilled_by_hand']);
  t.deepEqual(placesOf(await owner.post(`/orders/${id}/ship`, {})).toSorted(), ['/carrier', '/tracking_number']);
  const unpaid = await buildPaidOrder(ctx, { status: 'pending' });
  t.is(
    resultOf(await owner.post(`/orders/${unpaid.id}/ship`, { carrier: 'USPS', tracking_number: '1' })),
    '409 order_not_shippable',
  );
});

test('correcting an address writes the names of its fields, not their values, to the audit log', async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildPaidOrder(ctx);
  const { email: _, ...address } = { ...newYork, street1: '1 Secret Lane' };
  const { body } = await owner.put(`/orders/${id}/shipping-address`, address);
  t.is(body.order.shipping_address.street1, '1 Secret Lane');
  t.is(body.order.shipping_address.email, 'ada@example.com');
  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ action, after }) => [action, after]),
    [['order.address_changed', { changed: ['street1'] }]],
  );
  t.false(JSON.stringify(log).includes('Secret Lane'));
  t.deepEqual(placesOf(await owner.put(`/orders/${id}/shipping-address`, { ...address, country: 'Utopia' })), [
    '/country',
  ]);
  await owner.post(`/orders/${id}/ship`, { carrier: 'USPS', tracking_number: '1' });
  t.is(resultOf(await owner.put(`/orders/${id}/shipping-address`, address)), '409 order_shipped');
  const unpaid = await buildPaidOrder(ctx, { status: 'pending' });
  t.is(resultOf(await owner.put(`/orders/${unpaid.id}/shipping-address`, address)), '409 order_not_shippable');
});

test.serial('a refund is issued by the worker', async (t) => {
  const { clock, ctx, owner, services } = t.context;
  const { id } = await buildCharged(ctx);
  const { status, body } = await owner.post(`/orders/${id}/refunds`, { amount_cents: 1000, reason: 'A scratch' });
  t.is(status, 202);
  t.like(body.refund, {
    order_id: id,
    state: 'requested',
    amount_cents: 1000,
    currency: 'USD',
    reason: 'A scratch',
    return_id: null,
  });
  await runJobs(services);
  const {
    body: { order },
  } = await owner.get(`/orders/${id}`);
  t.like(order, { status: 'partially_refunded', refunded_cents: 1000 });
  t.like(order.refunds, [{ id: body.refund.id, state: 'sent' }]);
  t.deepEqual(order.timeline.map(({ type }: any) => type).slice(-2), ['order.refund_requested', 'refund.sent']);
  const [deed] = await auditOf(ctx);
  t.like(deed, { action: 'order.refund_requested', after: { refund_id: body.refund.id, amount_cents: 1000 } });

  t.deepEqual(placesOf(await owner.post(`/orders/${id}/refunds`, { amount_cents: 2801 })), ['/amount_cents']);
  t.deepEqual(placesOf(await owner.post(`/orders/${id}/refunds`, { amount_cents: 0 })), ['/amount_cents']);
  t.is((await owner.post(`/orders/${id}/refunds`)).body.refund.amount_cents, 2800);
  clock.pass(seconds(5));
  const nothing = await owner.post(`/orders/${id}/refunds`);
  t.is(resultOf(nothing), '409 refund_not_allowed');
  t.is(nothing.body.reason, 'refunded');
  const unpaid = await buildPaidOrder(ctx, { status: 'pending' });
  t.is((await owner.post(`/orders/${unpaid.id}/refunds`)).body.reason, 'not_paid');
});

test.serial('a refund that is requested twice with one idempotency key is one refund', async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildCharged(ctx);
  const request = () => owner.post(`/orders/${id}/refunds`, { amount_cents: 500 }, { 'idempotency-key': 'scratch' });
  const [first, second] = [await request(), await request()];
  t.deepEqual(second.body, first.body);
  t.is(second.headers.get('idempotent-replayed'), 'true');
  t.is((await owner.get(`/orders/${id}`)).body.order.refunds.length, 1);
});

test.serial('a refund equal to an open one is that one, unless it has an idempotency key or differs', async (t) => {
  const { clock, ctx, owner, services } = t.context;
  const { id } = await buildCharged(ctx);
  const request = async (body: object, name?: string) => {
    clock.pass(seconds(6));
    const {
      body: { refund },
    } = await owner.post(`/orders/${id}/refunds`, body, name ? { 'idempotency-key': name } : {});
    return refund.id;
  };
  const first = await request({ amount_cents: 500 });
  t.is(await request({ amount_cents: 500 }), first);
  t.is(
    new Set([
      first,
      await request({ amount_cents: 500, reason: 'A scratch' }),
      await request({ amount_cents: 400 }),
      await request({ amount_cents: 500 }, 'another'),
    ]).size,
    4,
  );
  await runJobs(services);
  t.not(await request({ amount_cents: 500 }), first);
});
