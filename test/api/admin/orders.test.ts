import anyTest, { type TestFn } from 'ava';

import { read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { suppress } from '#src/domain/mail/suppression.ts';
import { lockOrder, savePastOrders } from '#src/domain/orders/index.ts';
import { erasePersonalData } from '#src/domain/privacy/index.ts';
import { reasons } from '#src/domain/shipping/index.ts';
import { changeAddress } from '#src/domain/subscriptions/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { randomText } from '#src/lib/crypto.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { orderOf, request, run } from '#test/domain/shipping/support.ts';
import { recorded } from '#test/support/enqueued-jobs.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildPaidOrder, type GivenOrder, newYork } from '#test/support/factories/orders.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildReturn, buildReturnableOrder, returnMailsOf } from '#test/support/factories/returns.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { buildEndpoint, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { denial, fakeShippingByStore, rate, silence } from '#test/support/fakes/shipping-gateway.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { auditOf, deedsOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
const [payments, shipping] = [fakePaymentGateway(), fakeShippingByStore()];
useOwner(test, { ports: { payments, shipping: shipping.gateway } });

/** A paid order of 3800 cents whose payment the provider knows. */
async function buildCharged(ctx: Context, given: GivenOrder = {}) {
  const paymentId = `pi_${randomText(12)}`;
  await buildPaymentAccount(ctx);
  const order = await buildPaidOrder(ctx, { paymentId, ...given });
  payments.setPayment({ paymentId, orderId: order.id, tenantId: ctx.tenant.id });
  return order;
}

async function flag(ctx: Context, orderId: string, code: string): Promise<void> {
  await transact(ctx, async (ctx) => (await lockOrder(ctx, orderId))?.flag({ code, detail: 'Look at it.' }));
}

/** The tracking numbers of each email that told the shopper what was shipped. */
async function numbersMailed(ctx: Context): Promise<string[][]> {
  const mails = await read<{ labels: { tracking_number: string }[] }>(
    ctx,
    sql`select data -> 'labels' as labels from mails where tenant_id = ${ctx.tenant.id} and kind = 'shipped' order by id`,
  );
  return mails.map(({ labels }) => labels.map(({ tracking_number: number }) => number));
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
  t.deepEqual(await idsOf('without_label=true'), [second.id, first.id]);
  t.deepEqual(await idsOf('without_label=false'), [third.id]);
  t.is(resultOf(await owner.get('/orders?status=none')), '400 invalid_request');
  t.is(resultOf(await owner.get('/orders?limit=101')), '400 invalid_request');
  t.is(resultOf(await owner.get('/orders?cursor=made-up')), '400 invalid_cursor');
});

test('GET /admin/orders?updated_since= lists what changed since then, the latest change last, to its end', async (t) => {
  const { ctx, owner } = t.context;
  const orders = [];
  for (const _ of [1, 2, 3, 4]) orders.push((await buildPaidOrder(ctx)).id);
  const [first = '', second = '', third = '', fourth = ''] = orders;
  const touch = (id: string, at: string) =>
    transact(ctx, ({ tx }) =>
      tx.execute(sql`update orders set updated_at = ${at} where tenant_id = ${ctx.tenant.id} and id = ${id}`),
    );
  await touch(first, '2026-03-01T12:00:00.000Z');
  await touch(second, '2026-01-01T12:00:00.000Z');
  await touch(third, '2026-02-01T12:00:00.001Z');
  await touch(fourth, '2026-02-01T12:00:00.001Z');
  const page = async (query: string) => (await owner.get(`/orders?${query}`)).body;
  const since = 'updated_since=2026-02-01T12:00:00.001Z';
  t.deepEqual(
    (await page(since)).orders.map(({ id, updated_at }: any) => [id, updated_at]),
    [
      [third, '2026-02-01T12:00:00.001Z'],
      [fourth, '2026-02-01T12:00:00.001Z'],
      [first, '2026-03-01T12:00:00.000Z'],
    ],
  );
  const { orders: before, cursor } = await page(`${since}&limit=1`);
  t.deepEqual(
    before.map(({ id }: any) => id),
    [third],
  );
  // What changes while pages are read comes at the end, also if its page was read before.
  await touch(third, '2026-03-02T12:00:00.000Z');
  const after = await page(`${since}&cursor=${cursor}`);
  t.deepEqual(
    after.orders.map(({ id }: any) => id),
    [fourth, first, third],
  );
  t.is(after.cursor, null);
  t.deepEqual((await page('updated_since=2026-03-03T00:00:00Z')).orders, []);
  t.deepEqual((await page(`${since}&email=none@example.com`)).orders, []);
  // With a search, too: of one that changed before, there is nothing.
  for (const [sought, found] of [
    [first, [first]],
    [second, []],
  ] as const)
    t.deepEqual(
      (await page(`${since}&q=${sought}`)).orders.map(({ id }: any) => id),
      found,
    );
  t.is(resultOf(await owner.get(`/orders?cursor=${cursor}`)), '400 invalid_cursor', 'it is of another order');
  for (const wrong of ['yesterday', '2026-03-03T00:00:00%2B23:59'])
    t.is(resultOf(await owner.get(`/orders?updated_since=${wrong}`)), '400 invalid_request', wrong);
});

test('a copy by updated_since gets an order that is committed late, also while others change without end', async (t) => {
  const { ctx, owner } = t.context;
  const late = (await buildPaidOrder(ctx)).id;
  const others = [(await buildPaidOrder(ctx)).id, (await buildPaidOrder(ctx)).id];
  const start = Date.parse('2026-03-01T12:00:00Z');
  const at = (second: number) => new Date(start + second * 1000).toISOString();
  const touch = (id: string, second: number) =>
    transact(ctx, ({ tx }) =>
      tx.execute(sql`update orders set updated_at = ${at(second)} where tenant_id = ${ctx.tenant.id} and id = ${id}`),
    );
  const copied = new Set<string>();
  /** A reading as it is documented. Returns the latest change that it has read. */
  async function copy(since: string, afterPage: (page: number) => Promise<unknown>): Promise<string> {
    const from = new Date(Date.parse(since) - 60_000).toISOString();
    let latest = since;
    let cursor = '';
    for (let page = 0; ; page += 1) {
      const { body } = await owner.get(`/orders?updated_since=${from}&limit=1${cursor}`);
      for (const { id, updated_at } of body.orders) {
        copied.add(id);
        latest = updated_at;
      }
      if (body.cursor === null) return latest;
      cursor = `&cursor=${body.cursor}`;
      await afterPage(page);
    }
  }
  await touch(late, -3600);
  for (const id of others) await touch(id, 0);
  // It is committed when changes after it were read, and others then change for two minutes.
  const began = at(0);
  const latest = await copy(began, async (page) => {
    if (page === 2) await touch(late, 10);
    if (page < 5) await touch(others[page % 2] ?? '', 30 * (page + 1));
  });
  t.is(latest, at(150));
  t.false(copied.has(late));
  await copy(began, async () => undefined);
  t.true(copied.has(late));
});

test('GET /admin/orders?q= finds an order by its number, id, email or tracking number, in its store alone', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const sought = await buildPaidOrder(ctx, { email: 'sought@example.com' });
  await buildPaidOrder(ctx);
  await owner.post(`/orders/${sought.id}/ship`, { carrier: 'UPS', tracking_number: '1Z 999 AA1' });
  const find = async (typed: string, by = owner) =>
    (await by.get(`/orders?${new URLSearchParams({ q: typed })}`)).body.orders.map(({ id }: any) => id);
  const { order_number: number } = (await owner.get(`/orders/${sought.id}`)).body.order;
  const written = ['1Z999AA1', '1Z 999 AA1', '1z999aa1', '１Ｚ９９９ＡＡ１', '\u200e1Z999AA1\u200b'];
  for (const typed of [number, number.toLowerCase(), number.replace('ORD-', ''), ` ${sought.id} `, ...written])
    t.deepEqual(await find(typed), [sought.id], typed);
  t.deepEqual(await find('SOUGHT@example.com'), [sought.id]);
  const { orders: ofBoth } = (await owner.get('/orders?q=sought@example.com&email=nobody@example.com')).body;
  t.deepEqual(ofBoth, [], 'the email of the filter is another one');
  for (const typed of ['nobody@example.com', 'ORD-', '0', '%', "'", 'NaN']) t.deepEqual(await find(typed), [], typed);
  t.deepEqual(await find(sought.id, otherOwner), []);
});

test("GET /admin/orders?q= finds the orders of a customer by words of the customer's name", async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const [ada, adele] = ['ada@example.com', 'adele@example.com'];
  await buildCustomer(ctx, { email: ada, name: 'Ada Yılmaz' });
  await buildCustomer(ctx, { email: adele, name: 'Adèle Wells' });
  const first = await buildPaidOrder(ctx, { email: ada });
  const second = await buildPaidOrder(ctx, { email: adele });
  const third = await buildPaidOrder(ctx, { email: ada });
  await buildPaidOrder(ctx, { email: 'other@example.com' });
  const find = async (query: Record<string, string>, by = owner) =>
    (await by.get(`/orders?${new URLSearchParams(query)}`)).body.orders.map(({ id }: any) => id);
  for (const [typed, found] of [
    ['yilmaz ada', [third, first]],
    ['ad', [third, second, first]],
    ['ADELE', [second]],
    ['Wells Ada', []],
  ] as const)
    t.deepEqual(
      await find({ q: typed }),
      found.map(({ id }) => id),
      typed,
    );
  t.deepEqual(await find({ q: 'ad', email: adele }), [second.id]);
  t.deepEqual(await find({ q: 'ad', status: 'refunded' }), []);
  t.deepEqual((await find({ q: 'ad', updated_since: '2020-01-01T00:00:00Z' })).length, 3);
  t.deepEqual(await find({ q: 'ada' }, otherOwner), []);
  t.deepEqual(
    (await pagesOf(owner, '/orders?q=ad', 'orders')).flat().map(({ id }) => id),
    [third.id, second.id, first.id],
  );
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
  for (const typed of [digits, `#${digits}`])
    t.deepEqual((await find(typed)).toSorted(), [`#${digits}`, digits, own.orderNumber], typed);
  t.deepEqual(await find('old-7'), ['OLD-7']);
  t.deepEqual(await find('007'), ['007']);
});

test('POST /admin/orders/{id}/receipt sends the receipt of a paid order again, once for two clicks', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const { id } = await buildPaidOrder(ctx, { email: 'ada@example.com' });
  const clicks = await Promise.all([owner.post(`/orders/${id}/receipt`), owner.post(`/orders/${id}/receipt`)]);
  t.true(clicks.some(({ status }) => status === 202));
  t.deepEqual(await read(ctx, sql`select kind, recipient from mails where tenant_id = ${ctx.tenant.id}`), [
    { kind: 'receipt', recipient: 'ada@example.com' },
  ]);
  t.deepEqual(await deedsOf(ctx), ['order.receipt_resent']);
  const unpaid = await buildPaidOrder(ctx, { status: 'pending' });
  t.is(resultOf(await owner.post(`/orders/${unpaid.id}/receipt`)), '409 no_receipt');
  t.is(resultOf(await owner.post(`/orders/${newId('ord')}/receipt`)), '404 not_found');
  t.is(resultOf(await otherOwner.post(`/orders/${id}/receipt`)), '404 not_found');
});

test.serial('GET /admin/orders/{id} shows in its timeline which endpoint events were delivered', async (t) => {
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

test.serial('GET /admin/orders/{id} shows in its timeline that a receipt was not sent', async (t) => {
  const { ctx, services, owner } = t.context;
  const { id } = await buildPaidOrder(ctx, { email: 'bounced@example.com' });
  await transact(ctx, (ctx) => suppress(ctx, 'bounced@example.com', 'bounced'));
  await owner.post(`/orders/${id}/receipt`);
  const mails = async () =>
    (await owner.get(`/orders/${id}`)).body.order.timeline
      .filter(({ type }: any) => type.startsWith('mail.'))
      .map(({ type, detail }: any) => [type, detail]);
  t.deepEqual(await mails(), []);
  await runJobs(services);
  t.deepEqual(await mails(), [['mail.suppressed', 'receipt']]);
});

test('GET /admin/overview counts what waits in the store, with what to do about it', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const { id } = await buildPaidOrder(ctx);
  await flag(ctx, id, 'paid_twice');
  const returnable = await buildReturnableOrder(ctx);
  await buildReturn(ctx, returnable);
  await buildPaidOrder(ctx, { status: 'partially_refunded' });
  for (const over of ['pending', 'refunded'] as const) await buildPaidOrder(ctx, { status: over });
  const { status, body } = await owner.get('/overview');
  t.is(status, 200);
  t.like(body.overview, {
    orders_to_ship: 3,
    orders_without_label: 3,
    labels_in_progress: 0,
    labels_purchased: 0,
    returns_requested: 1,
    reviews_pending: 0,
  });
  t.like(
    body.overview.attention,
    only({
      kind: 'order',
      code: 'paid_twice',
      count: 1,
      message: 'An order was paid twice.',
      next: 'Refund one of the two payments at the payment provider.',
      areas: only('refunds'),
    }),
  );
  t.like((await otherOwner.get('/overview')).body.overview, { attention: [], orders_to_ship: 0, returns_requested: 0 });
});

test('GET /admin/overview has a delivery that failed only once its endpoint works again', async (t) => {
  const { ctx, owner, services } = t.context;
  const endpoint = await buildEndpoint(ctx, await receiverFor(t));
  await recordTests(ctx, endpoint.id);
  await runJobs(services);
  // Another one that works has nothing to do with it.
  await buildEndpoint(ctx, await receiverFor(t));
  const set = (values: Sql) =>
    transact(ctx, ({ tx }) =>
      tx.execute(
        sql`update webhook_endpoints set ${values} where tenant_id = ${ctx.tenant.id} and id = ${endpoint.id}`,
      ),
    );
  const now = ctx.clock.now();
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`update webhook_deliveries set state = 'failed' where tenant_id = ${ctx.tenant.id}`),
  );
  const attention = async () =>
    (await owner.get('/overview')).body.overview.attention.map(({ kind, code }: any) => `${kind} ${code}`);
  const delivery = ['webhook_delivery given_up'];
  t.deepEqual(await attention(), delivery);
  await set(sql`failing_since = ${now}`);
  t.deepEqual(await attention(), ['webhook_endpoint failing']);
  await set(sql`disabled_at = ${now}, disabled_reason = 'failing'`);
  t.deepEqual(await attention(), ['webhook_endpoint disabled']);
  await set(sql`disabled_reason = 'owner'`);
  t.deepEqual(await attention(), delivery);
  await set(sql`disabled_at = null, disabled_reason = null, failing_since = null`);
  t.deepEqual(await attention(), delivery);
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
    areas: ['refunds'],
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
  t.like(await auditOf(ctx), only({ before: { code: 'paid_twice', detail: 'Look at it.' } }));
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
  const again = { carrier: ' USPS', tracking_number: '9400100000000000000000\n' };
  t.is((await owner.post(`/orders/${id}/ship`, again)).body.order.labels.length, 1);
  for (const nothing of [{}, { carrier: ' ', tracking_number: '\t' }, { carrier: 'U\nS', tracking_number: '9\u00074' }])
    t.deepEqual(placesOf(await owner.post(`/orders/${id}/ship`, nothing)).toSorted(), ['/carrier', '/tracking_number']);
  const unpaid = await buildPaidOrder(ctx, { status: 'pending' });
  t.is(
    resultOf(await owner.post(`/orders/${unpaid.id}/ship`, { carrier: 'USPS', tracking_number: '1' })),
    '409 order_not_shippable',
  );
});

test('the shopper is emailed the tracking number of each further parcel that is sent by hand, once', async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildPaidOrder(ctx);
  for (const number of ['1', '2', '2 '])
    t.is(resultOf(await owner.post(`/orders/${id}/ship`, { carrier: 'USPS', tracking_number: number })), '200');
  t.deepEqual(await numbersMailed(ctx), [['1'], ['1', '2']]);
});

test('POST /admin/orders/{id}/tracking/correct replaces a number that was entered by hand, and emails the new one once', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const { id } = await buildPaidOrder(ctx);
  const parcel = (carrier: string, tracking_number: string) => ({ carrier, tracking_number });
  await owner.post(`/orders/${id}/ship`, parcel('USPS', '9400122'));
  const correct = (wrong: string, correction: unknown, by = owner) =>
    by.post(`/orders/${id}/tracking/correct`, { tracking_number: wrong, correction });
  const numbersOf = ({ body }: any) =>
    body.order.labels.map((label: any) => `${label.carrier} ${label.tracking_number}`);

  t.is(resultOf(await correct('9400122', parcel('USPS', '1'), otherOwner)), '404 not_found');
  t.is(resultOf(await correct('none', parcel('USPS', '1'))), '404 not_found');
  t.deepEqual(placesOf(await correct('9400122', parcel(' ', '1'))), ['/correction/carrier']);
  t.deepEqual(numbersOf(await correct('9400122', parcel('UPS', '9400122'))), ['UPS 9400122']);
  t.deepEqual(await numbersMailed(ctx), [['9400122']], 'the shopper has this number');
  t.deepEqual(numbersOf(await correct('9400122', parcel('UPS', '9400133'))), ['UPS 9400133']);
  t.deepEqual(numbersOf(await correct('9400133', parcel('UPS', '9400133'))), ['UPS 9400133']);
  t.deepEqual(await numbersMailed(ctx), [['9400122'], ['9400133']]);
  t.deepEqual((await owner.get('/orders?q=9400122')).body.orders, []);
  t.deepEqual(numbersOf(await correct('9400133', null)), []);
  t.is((await numbersMailed(ctx)).length, 2);
  t.like((await owner.get(`/orders/${id}`)).body.order, { fulfillment_status: 'shipped' });
  const corrections = (await auditOf(ctx)).filter(({ action }) => action === 'order.tracking_corrected');
  t.deepEqual(
    corrections.map(({ before, after }: any) => [before.tracking_number, after.tracking_number]),
    [
      ['9400122', '9400122'],
      ['9400122', '9400133'],
      ['9400133', null],
    ],
  );
});

test('the timeline of an order shows which parcels came back, failed or are overdue', async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildPaidOrder(ctx);
  for (const tracking_number of ['9400144', '9400155', '9400166'])
    await owner.post(`/orders/${id}/ship`, { carrier: 'USPS', tracking_number });
  await transact(ctx, async ({ tx, tenant, clock }) => {
    await tx.execute(sql`
      update trackings set status = case tracking_number when '9400144' then 'returned' else 'delivered' end,
        status_at = ${clock.now()}, overdue_at = case tracking_number when '9400155' then ${clock.now()}::timestamptz end
      where tenant_id = ${tenant.id} and order_id = ${id}`);
  });
  const { body } = await owner.get(`/orders/${id}`);
  t.deepEqual(
    body.order.timeline
      .filter(({ type }: any) => type.startsWith('parcel.'))
      .map(({ type, detail }: any) => [type, detail]),
    [
      ['parcel.overdue', '9400155'],
      ['parcel.returned', '9400144'],
    ],
  );
});

test('POST /admin/orders/{id}/ship/cancel makes an order one to be sent, unless it moves or was refunded', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const cancel = (id: string, by = owner) => by.post(`/orders/${id}/ship/cancel`);
  const shipped = async () => {
    const { id } = await buildPaidOrder(ctx);
    await owner.post(`/orders/${id}/ship`, { carrier: 'USPS', tracking_number: id });
    return id;
  };
  const [mistake, moving, refunded] = [await shipped(), await shipped(), await shipped()];
  t.is(resultOf(await cancel(mistake, otherOwner)), '404 not_found');
  t.like((await cancel(mistake)).body.order, { fulfillment_status: 'unfulfilled', shipped_at: null, labels: only() });
  await transact(ctx, async ({ tx, tenant }) => {
    await tx.execute(
      sql`update trackings set status = 'transit' where tenant_id = ${tenant.id} and order_id = ${moving}`,
    );
    await tx.execute(sql`
      update orders set status = 'refunded', payment_status = 'refunded'
      where tenant_id = ${tenant.id} and id = ${refunded}`);
  });
  t.is(resultOf(await cancel(moving)), '409 order_shipped');
  t.is(resultOf(await cancel(refunded)), '409 order_not_shippable');
});

test.serial('a label to a country without postal codes is bought with the code that its advice names', async (t) => {
  const { ctx, owner } = t.context;
  await buildShippingAccount(ctx);
  const { order, labelId } = await request(ctx, {
    address: { city: 'Salmiya', state: null, zip: null, country: 'KW' },
  });
  await run(ctx, order.id);
  const retry = async () => {
    await owner.post(`/labels/${labelId}/retry`);
    await run(ctx, order.id);
    return (await owner.get(`/orders/${order.id}`)).body.order.label;
  };
  const { reason_code: code, next } = await retry();
  t.is(code, 'missing_address');
  const [, fitting = ''] = /no postal codes, enter (\d+)/.exec(next) ?? [];
  const { email: _, ...address } = { ...newYork, city: 'Salmiya', state: null, zip: fitting, country: 'KW' };
  await owner.put(`/orders/${order.id}/shipping-address`, address);
  t.like(await retry(), { state: 'purchased' });
});

test.serial('the tracking number of a label that was bought is not corrected', async (t) => {
  const { ctx, owner } = t.context;
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  await run(ctx, order.id);
  const [label] = (await owner.get(`/orders/${order.id}`)).body.order.labels;
  const response = await owner.post(`/orders/${order.id}/tracking/correct`, {
    tracking_number: label.tracking_number,
    correction: null,
  });
  t.is(resultOf(response), '409 label_purchased');
});

test.serial('the label of an order that was shipped is not said to be voided first', async (t) => {
  const { ctx, owner } = t.context;
  await buildShippingAccount(ctx);
  const { order } = await request(ctx);
  await run(ctx, order.id);
  t.is(resultOf(await owner.put(`/orders/${order.id}/shipping-address`, newYork)), '409 label_purchased');
  t.is((await owner.post(`/orders/${order.id}/ship`, { carrier: 'USPS', tracking_number: '1' })).status, 200);
  t.is(resultOf(await owner.put(`/orders/${order.id}/shipping-address`, newYork)), '409 order_shipped');
});

test('correcting an address writes the names of its fields, not their values, to the audit log', async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildPaidOrder(ctx);
  const { email: _, ...address } = { ...newYork, street1: '1 Secret Lane' };
  const { body } = await owner.put(`/orders/${id}/shipping-address`, { ...address, country: 'us' });
  t.is(body.order.shipping_address.country, 'US');
  t.is(body.order.shipping_address.street1, '1 Secret Lane');
  t.is(body.order.shipping_address.email, 'ada@example.com');
  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ action, after }) => [action, after]),
    [['order.address_changed', { changed: ['street1'] }]],
  );
  t.false(JSON.stringify(log).includes('Secret Lane'));
  for (const country of ['Utopia', 'UK']) {
    t.deepEqual(placesOf(await owner.put(`/orders/${id}/shipping-address`, { ...address, country })), ['/country']);
  }
  await owner.post(`/orders/${id}/ship`, { carrier: 'USPS', tracking_number: '1' });
  t.is(resultOf(await owner.put(`/orders/${id}/shipping-address`, address)), '409 order_shipped');
  const unpaid = await buildPaidOrder(ctx, { status: 'pending' });
  t.is(resultOf(await owner.put(`/orders/${unpaid.id}/shipping-address`, address)), '409 order_not_shippable');
});

test('an order whose email was corrected is that of the customer with the new one, with its returns and subscriptions', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const { id } = await buildReturnableOrder(ctx);
  const { order: mistyped } = (await owner.get(`/orders/${id}`)).body;
  const { id: returnId } = await buildReturn(ctx, mistyped);
  const subscription = await buildSubscription(ctx, { orderId: id });
  const ended = await buildSubscription(ctx, { orderId: id, status: 'canceled' });
  const moved = { ...newYork, street1: '12 Ockham Road', email: 'ada@example.com' };
  await transact(ctx, (ctx) => changeAddress(ctx, subscription.paymentSubscriptionId, moved));
  const correct = (email: string, by = owner) => by.put(`/orders/${id}/email`, { email });
  t.is(resultOf(await correct('adah@example.com', otherOwner)), '404 not_found');
  t.deepEqual(placesOf(await correct('adah')), ['/email']);

  for (const _ of [1, 2]) {
    const { body } = await correct(' Adah@Example.com');
    t.is(body.order.customer.email, 'adah@example.com');
    t.is(body.order.shipping_address.email, 'adah@example.com');
  }
  const { customer } = (await owner.get(`/orders/${id}`)).body.order;
  const { body: history } = await owner.get(`/customers/${customer.id}`);
  t.deepEqual(
    [history.orders, history.returns, history.subscriptions].map((found) => found.map((each: any) => each.id)),
    [[id], [returnId], [ended.id, subscription.id]],
  );
  t.deepEqual(await recorded(ctx, ended.id), [], 'it is over already');
  t.like(history.subscriptions[1].shipping_address, { street1: moved.street1, email: 'adah@example.com' });
  t.deepEqual(await recorded(ctx, subscription.id), ['subscription.updated', 'subscription.updated']);
  t.deepEqual((await owner.get('/orders?email=ada@example.com')).body.orders, []);
  const { erased } = await erasePersonalData(ctx, { email: 'ada@example.com' });
  t.false('orders' in erased, 'who had the wrong one does not take the order along');
  await owner.post(`/orders/${id}/receipt`);
  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ action }) => action).filter((action) => action === 'order.email_changed'),
    ['order.email_changed'],
  );
  t.false(JSON.stringify(log).includes('adah@'));
  const mails = await read(ctx, sql`select kind, recipient from mails where kind = 'receipt' and subject_id = ${id}`);
  t.deepEqual(mails, [{ kind: 'receipt', recipient: 'adah@example.com' }]);
});

test('the email of an order that may still be paid is corrected without a new customer', async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildPaidOrder(ctx, { status: 'pending', email: 'adda@example.com' });
  const { body } = await owner.put(`/orders/${id}/email`, { email: 'ada@example.com' });
  t.deepEqual(body.order.customer, { id: null, email: 'ada@example.com' });
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
  t.like(order.refunds, only({ id: body.refund.id, state: 'sent' }));
  t.deepEqual(order.timeline.map(({ type }: any) => type).slice(-2), ['order.refund_requested', 'refund.sent']);
  const [deed] = await auditOf(ctx);
  t.is(deed?.action, 'order.refund_requested');
  t.deepEqual(deed?.after, { refund_id: body.refund.id, amount_cents: 1000 }, 'without the reason');

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

async function waiting(context: OwnerContext, given: Parameters<typeof request>[1] = { address: { street1: null } }) {
  const { ctx, tenant } = context;
  await buildShippingAccount(ctx);
  const requested = await request(ctx, given);
  await run(ctx, requested.order.id);
  return { ...requested, orderId: requested.order.id, provider: shipping.of(tenant.id) };
}

test('GET /admin/labels pages, and filters by state and reason', async (t) => {
  const { ctx, owner } = t.context;
  const lost = await waiting(t.context);
  const good = await waiting(t.context, {});
  const third = await waiting(t.context, {});
  t.deepEqual(
    (await pagesOf(owner, '/labels', 'labels')).flat().map(({ id }) => id),
    [third.labelId, good.labelId, lost.labelId],
  );
  const { body } = await owner.get('/labels?state=needs_attention&reason_code=missing_address');
  t.is(body.labels.length, 1);
  t.like(body.labels[0], { id: lost.labelId, state: 'needs_attention', next: reasons.missing_address.next });
  for (const filter of ['state=lost', 'reason_code=lost'])
    t.is(resultOf(await owner.get(`/labels?${filter}`)), '400 invalid_request', filter);
  const {
    body: { order },
  } = await owner.get(`/orders/${lost.orderId}`);
  t.like(order.label, { id: lost.labelId, reason_code: 'missing_address' });
  t.like(order.attention, { code: 'missing_address', next: reasons.missing_address.next });
  t.is((await orderOf(ctx, good.orderId)).fulfillment, 'label_purchased');
});

test('POST /admin/orders/{id}/label buys a rate that the owner chose across a border', async (t) => {
  const { ctx, owner } = t.context;
  const { orderId, provider } = await waiting(t.context, { address: { country: 'CA', state: 'ON', zip: 'K1A 0B1' } });
  provider.rates = [rate({ amountCents: 3200 }), rate({ amountCents: 2100, carrier: 'ups' })];
  const { status, body } = await owner.get(`/orders/${orderId}/rates`);
  t.is(status, 200);
  t.deepEqual(
    body.rates.map(({ amount_cents }: any) => amount_cents),
    [2100, 3200],
  );
  t.is(body.cheapest_rate_id, body.rates[0].id);
  t.truthy(provider.quotes.at(-1)?.customs);

  const bought = await owner.post(`/orders/${orderId}/label`, { rate_id: body.rates[1].id });
  t.is(bought.status, 202);
  t.like(bought.body.label, { state: 'rate_chosen', order_id: orderId });
  t.is(await run(ctx, orderId), 'done');
  t.is(provider.bought().length, 1);
  t.deepEqual(await deedsOf(ctx), ['label.rate_chosen']);
  t.is(resultOf(await owner.post(`/orders/${orderId}/label`)), '409 label_purchased');
  const dear = await waiting(t.context, {
    address: { country: 'GB', state: null, zip: 'SW1A 1AA' },
    items: [{ quantity: 1, unitPriceCents: 300_000 }],
  });
  t.is(
    resultOf(await owner.get(`/orders/${dear.orderId}/rates`)),
    '409 order_not_shippable',
    'what customs want filed',
  );
});

test('a label is retried after its address was corrected, and voided', async (t) => {
  const { ctx, owner } = t.context;
  const { orderId, labelId, provider } = await waiting(t.context);
  await owner.put(`/orders/${orderId}/shipping-address`, {
    name: 'Ada Wells',
    street1: '40 W 23rd St',
    city: 'New York',
    state: 'NY',
    zip: '10010',
    country: 'US',
  });
  const retried = await owner.post(`/labels/${labelId}/retry`);
  t.is(retried.status, 202);
  t.is(retried.body.label.state, 'queued');
  await run(ctx, orderId);
  t.is(resultOf(await owner.post(`/labels/${labelId}/retry`)), '409 label_purchased');
  t.is(resultOf(await owner.put(`/orders/${orderId}/shipping-address`, newYork)), '409 label_purchased');

  provider.throws.refund.push(silence());
  t.is(resultOf(await owner.post(`/labels/${labelId}/void`)), '502 shipping_provider_unavailable');
  const voided = await owner.post(`/labels/${labelId}/void`);
  t.is(voided.body.label.state, 'voided');
  t.is(provider.refunded.length, 1);
  t.is(resultOf(await owner.post(`/labels/${labelId}/void`)), '409 label_not_voidable');
  const again = await owner.post(`/orders/${orderId}/label`, {});
  t.not(again.body.label.id, labelId);
  t.deepEqual(await deedsOf(ctx), ['order.address_changed', 'label.retried', 'label.voided', 'label.retried']);
});

test('GET /admin/labels/{id}/file returns the link that the provider signs now, else the stored one', async (t) => {
  const { owner, otherOwner } = t.context;
  const { labelId, provider } = await waiting(t.context, {});
  const file = async () => (await owner.get(`/labels/${labelId}/file`)).body.url;
  const stored = provider.bought()[0]?.labelUrl;
  t.is(await file(), `${stored}?signed-again`);
  provider.throws.purchase.push(silence(), denial());
  t.is(await file(), stored, 'the provider does not respond');
  t.is(await file(), stored, 'the key is denied');
  t.is(resultOf(await otherOwner.get(`/labels/${labelId}/file`)), '404 not_found');
  const unbought = await waiting(t.context);
  t.is(resultOf(await owner.get(`/labels/${unbought.labelId}/file`)), '404 not_found');
});

test('GET /admin/labels/{id}/file returns nothing to print of a label that is void or being voided', async (t) => {
  const { owner } = t.context;
  const { labelId, provider } = await waiting(t.context, {});
  provider.throws.refund.push(silence());
  t.is(resultOf(await owner.post(`/labels/${labelId}/void`)), '502 shipping_provider_unavailable');
  t.is(resultOf(await owner.get(`/labels/${labelId}/file`)), '404 not_found', 'being voided');
  await owner.post(`/labels/${labelId}/void`);
  t.is(resultOf(await owner.get(`/labels/${labelId}/file`)), '404 not_found', 'void');

  const unused = await waiting(t.context, {});
  const purchaseId = provider.bought().at(-1)?.id ?? '';
  for (const state of ['refunding', 'refunded'] as const) {
    provider.amend(purchaseId, state);
    t.is(
      resultOf(await owner.get(`/labels/${unused.labelId}/file`)),
      '404 not_found',
      `${state} at the provider itself`,
    );
  }
});

test('POST /admin/orders/{id}/label rejects unpaid, shipped and unknown orders, and a missing provider', async (t) => {
  const { ctx, owner } = t.context;
  const unpaid = await buildPaidOrder(ctx, { status: 'pending' });
  t.is(resultOf(await owner.post(`/orders/${unpaid.id}/label`)), '409 order_not_shippable');
  const shipped = await buildPaidOrder(ctx);
  t.is(resultOf(await owner.get(`/orders/${shipped.id}/rates`)), '502 shipping_provider_unavailable');
  t.is(
    resultOf(await owner.post(`/orders/${shipped.id}/label`, { rate_id: 'rate_1' })),
    '502 shipping_provider_unavailable',
  );
  for (const given of [{ status: 'refunded' }, { items: [{ ships: false }] }] as const) {
    const { id } = await buildPaidOrder(ctx, { ...given, items: [...(given.items ?? [{}])] });
    t.is(resultOf(await owner.post(`/orders/${id}/label`)), '409 order_not_shippable');
    t.is(resultOf(await owner.get(`/orders/${id}/rates`)), '409 order_not_shippable');
    t.is(
      resultOf(await owner.post(`/orders/${id}/ship`, { carrier: 'USPS', tracking_number: id })),
      '409 order_not_shippable',
    );
  }
  await owner.post(`/orders/${shipped.id}/ship`, { carrier: 'USPS', tracking_number: '1' });
  t.is(resultOf(await owner.post(`/orders/${shipped.id}/label`)), '409 order_shipped');
  for (const path of [
    `/orders/${newId('ord')}/label`,
    `/labels/${newId('lbl')}/retry`,
    `/labels/${newId('lbl')}/void`,
  ]) {
    t.is(resultOf(await owner.post(path)), '404 not_found', path);
  }
});

test('a label whose purchase is open is neither voided nor bought again', async (t) => {
  const { owner } = t.context;
  const { ctx, tenant } = t.context;
  await buildShippingAccount(ctx);
  shipping.of(tenant.id).nextPurchases = ['sells silently'];
  shipping.of(tenant.id).throws.lookup.push(silence(), silence());
  const { order, labelId } = await request(ctx);
  await run(ctx, order.id);
  t.is(resultOf(await owner.post(`/labels/${labelId}/void`)), '409 label_outcome_unknown');
  t.is(resultOf(await owner.post(`/orders/${order.id}/label`, { rate_id: 'rate_1' })), '409 label_outcome_unknown');
  t.is(resultOf(await owner.put(`/orders/${order.id}/shipping-address`, newYork)), '409 label_outcome_unknown');
});

test('a label that an attempt holds cannot be changed, and one of an unpaid order cannot be retried', async (t) => {
  const { ctx, owner } = t.context;
  const { order, labelId } = await request(ctx);
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update labels set lease_token = 'held', lease_expires_at = ${fromNow(ctx.clock, minutes(1))}
    where tenant_id = ${ctx.tenant.id} and id = ${labelId}`),
  );
  const parcel = { carrier: 'USPS', tracking_number: '1' };
  for (const response of [
    owner.post(`/labels/${labelId}/retry`),
    owner.post(`/labels/${labelId}/void`),
    owner.post(`/orders/${order.id}/label`),
    owner.post(`/orders/${order.id}/ship`, parcel),
    owner.put(`/orders/${order.id}/shipping-address`, newYork),
  ])
    t.is(resultOf(await response), '409 label_in_progress');

  const unpaid = await request(ctx, { status: 'pending' });
  t.is(resultOf(await owner.post(`/labels/${unpaid.labelId}/retry`)), '409 order_not_shippable');
});

test('a return is approved, received and refunded, with an email for each step', async (t) => {
  const { ctx, owner } = t.context;
  const order = await buildReturnableOrder(ctx, { paymentId: 'pi_1' });
  const { id } = await buildReturn(ctx, order);
  const step = async (verb: string, body?: object) =>
    (await owner.post(`/returns/${id}/${verb}`, body)).body.return?.status;
  t.is(await step('approve', { note: 'Please use the enclosed label.' }), 'approved');
  t.is(await step('receive'), 'received');
  t.deepEqual(placesOf(await owner.post(`/returns/${id}/refund`, { amount_cents: -1 })), ['/amount_cents']);
  t.is(resultOf(await owner.post(`/returns/${id}/refund`, { amount_cents: 3801 })), '400 invalid_request');
  t.is(await step('refund', { amount_cents: 3000 }), 'refunded');

  t.deepEqual(
    (await returnMailsOf(ctx, id)).map(({ status }) => status),
    ['requested', 'approved', 'received', 'refunded'],
  );
  const { body } = await owner.get(`/orders/${order.id}`);
  t.like(body.order.refunds, only({ amount_cents: 3000, return_id: id, state: 'requested' }));
  const types = body.order.timeline.map(({ type }: any) => type);
  for (const type of ['return.approved', 'return.received', 'return.refunded', 'order.refund_requested'])
    t.true(types.includes(type), type);
  t.like((await auditOf(ctx))[0], {
    action: 'return.approved',
    before: { status: 'requested' },
    after: { status: 'approved' },
  });
});

test("a decision that a return's status does not allow is rejected, and an unknown return is not found", async (t) => {
  const { ctx, owner } = t.context;
  const { id } = await buildReturn(ctx);
  t.is(resultOf(await owner.post(`/returns/${id}/refund`)), '409 return_not_allowed');
  for (const verb of ['receive', 'close'])
    t.is(resultOf(await owner.post(`/returns/${id}/${verb}`)), '409 return_not_allowed');
  t.is((await owner.post(`/returns/${id}/reject`)).body.return.status, 'rejected');
  const approved = await owner.post(`/returns/${id}/approve`);
  t.is(resultOf(approved), '409 return_not_allowed');
  t.is(approved.body.reason, 'wrong_status');
  for (const verb of ['approve', 'reject', 'receive', 'refund', 'close'])
    t.is(resultOf(await owner.post(`/returns/${newId('ret')}/${verb}`)), '404 not_found');
  t.deepEqual(placesOf(await owner.post(`/returns/${id}/approve`, { note: 7 })), ['/note']);
});

test('a return whose goods never arrive is closed, and its items can be returned again', async (t) => {
  const { ctx, owner } = t.context;
  const order = await buildReturnableOrder(ctx);
  const { id } = await buildReturn(ctx, order);
  await owner.post(`/returns/${id}/approve`);
  t.is((await owner.post(`/returns/${id}/close`, { note: 'We waited for a month.' })).body.return.status, 'closed');
  t.is((await owner.post(`/returns/${id}/close`)).body.return.status, 'closed', 'once more changes nothing');
  t.deepEqual(
    (await returnMailsOf(ctx, id)).map(({ status }) => status),
    ['requested', 'approved', 'closed'],
  );
  t.is((await buildReturn(ctx, order)).status, 'requested');
});

test('refunding a return refunds what was paid for the goods, unless an amount is given', async (t) => {
  const { ctx, owner } = t.context;
  const order = await buildReturnableOrder(ctx, { paymentId: 'pi_3' });
  const { id } = await buildReturn(ctx, order);
  for (const verb of ['approve', 'receive', 'refund']) await owner.post(`/returns/${id}/${verb}`);
  t.like(
    (await owner.get(`/orders/${order.id}`)).body.order.refunds,
    only({ amount_cents: 3800, return_id: id, state: 'requested' }),
  );
});

test('refunding a return of an order that was refunded in full refunds nothing more', async (t) => {
  const { ctx, owner } = t.context;
  const order = await buildReturnableOrder(ctx, { paymentId: 'pi_2' });
  const { id } = await buildReturn(ctx, order);
  for (const verb of ['approve', 'receive']) await owner.post(`/returns/${id}/${verb}`);
  t.is((await owner.post(`/orders/${order.id}/refunds`)).status, 202);
  const refused = await owner.post(`/returns/${id}/refund`, { amount_cents: 100 });
  t.deepEqual([resultOf(refused), refused.body.reason], ['409 refund_not_allowed', 'refunded']);
});

test('GET /admin/returns pages, and filters by status', async (t) => {
  const { ctx, owner } = t.context;
  const ids: string[] = [];
  for (let count = 0; count < 3; count += 1) ids.unshift((await buildReturn(ctx)).id);
  await owner.post(`/returns/${ids[1]}/approve`);
  t.deepEqual(
    (await pagesOf(owner, '/returns', 'returns')).flat().map(({ id }) => id),
    ids,
  );
  t.deepEqual(
    (await owner.get('/returns?status=approved')).body.returns.map(({ id }: any) => id),
    [ids[1]],
  );
  t.deepEqual((await owner.get('/returns?email=nobody@example.com')).body.returns, []);
});
