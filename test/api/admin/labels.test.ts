import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { minutes } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { orderOf, request, run } from '#test/domain/shipping/support.ts';
import { buildPaidOrder, newYork } from '#test/support/factories/orders.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { denial, fakeShippingByStore, rate, silence } from '#test/support/fakes/shipping-gateway.ts';
import { deedsOf, type OwnerContext, pagesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
const shipping = fakeShippingByStore();
useOwner(test, { ports: { shipping: shipping.gateway } });

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
  t.like(body.labels[0], { id: lost.labelId, state: 'needs_attention', next: 'Complete the address, then retry.' });
  t.is(resultOf(await owner.get('/labels?state=lost')), '400 invalid_request');
  const {
    body: { order },
  } = await owner.get(`/orders/${lost.orderId}`);
  t.like(order.label, { id: lost.labelId, reason_code: 'missing_address' });
  t.like(order.attention, { code: 'missing_address', next: 'Complete the address, then retry.' });
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
  shipping.of(tenant.id).turns = ['sells silently'];
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
