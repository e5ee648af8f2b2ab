import anyTest, { type TestFn } from 'ava';

import { submitReview } from '#src/domain/catalog/index.ts';
import { newId } from '#src/lib/ids.ts';
import { request } from '#test/domain/shipping/support.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { newYork } from '#test/support/factories/orders.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { buildReturn } from '#test/support/factories/returns.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { buildEndpoint, receiverFor } from '#test/support/factories/webhooks.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { deedsOf, type Owner, type OwnerContext, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

test.serial('the owner of another store finds nothing of this one, and changes nothing', async (t) => {
  const { ctx, owner, services, otherOwner } = t.context;
  const endpoint = await buildEndpoint(ctx, await receiverFor(t));
  await owner.post(`/webhook-endpoints/${endpoint.id}/test`);
  await runJobs(services);
  const {
    body: {
      deliveries: [delivery],
    },
  } = await owner.get(`/webhook-endpoints/${endpoint.id}/deliveries`);
  const product = await buildProduct(ctx);
  const entry = await buildEntry(ctx);
  const promo = await buildPromo(ctx);
  const card = await buildGiftCard(ctx);
  const { order, labelId } = await request(ctx);
  const { id: returnId } = await buildReturn(ctx);
  const { id: subscriptionId } = await buildSubscription(ctx);
  const { id: customerId } = await buildCustomer(ctx);
  const { id: reviewId } = await submitReview(ctx, product.slug, { rating: 5 });
  const {
    body: { integration },
  } = await owner.post('/integrations', { provider: 'bookkeeper', return_url: 'https://owner.example/' });
  const {
    body: { key },
  } = await owner.post('/keys', { name: 'mine', kind: 'secret', scopes: ['orders:read'] });
  await buildPaymentAccount(ctx);
  const {
    body: { rotation_id: rotationId },
  } = await owner.post('/payments/webhook-secret/rotations');
  const before = await deedsOf(ctx);

  const variants = [{ sku: 'X', price_cents: 1 }];
  const requests = (who: Owner) => [
    () => who.put('/stock', { items: [{ variant_id: product.variant.id, quantity: 0 }] }),
    () => who.put('/stock', { items: [{ sku: product.variant.sku, quantity: 0 }] }),
    () => who.get(`/products/${product.slug}`),
    () => who.put(`/products/${product.slug}`, { name: 'Mine', variants }),
    () => who.delete(`/products/${product.slug}`),
    () => who.get(`/content/${entry.type}/${entry.slug}`),
    () => who.put(`/content/${entry.type}/${entry.slug}`, { title: 'Mine' }),
    () => who.delete(`/content/${entry.type}/${entry.slug}`),
    () => who.put(`/promo-codes/${promo.code}`, { type: 'free_shipping' }),
    () => who.delete(`/promo-codes/${promo.code}`),
    () => who.post(`/gift-cards/${card.id}/disable`),
    () => who.get(`/orders/${order.id}`),
    () => who.get(`/orders/${order.id}/rates`),
    () => who.post(`/orders/${order.id}/label`),
    () => who.post(`/orders/${order.id}/ship`, { carrier: 'USPS', tracking_number: '1' }),
    () => who.post(`/orders/${order.id}/refunds`),
    () => who.put(`/orders/${order.id}/shipping-address`, newYork),
    () => who.post(`/labels/${labelId}/retry`),
    () => who.post(`/labels/${labelId}/void`),
    ...['approve', 'reject', 'receive', 'refund', 'close'].map(
      (verb) => () => who.post(`/returns/${returnId}/${verb}`),
    ),
    () => who.get(`/subscriptions/${subscriptionId}`),
    () => who.get(`/customers/${customerId}`),
    () => who.post(`/reviews/${reviewId}/approve`),
    () => who.post(`/reviews/${reviewId}/reject`),
    () => who.get(`/webhook-endpoints/${endpoint.id}`),
    () => who.patch(`/webhook-endpoints/${endpoint.id}`, { concurrency: 1 }),
    () => who.delete(`/webhook-endpoints/${endpoint.id}`),
    () => who.get(`/webhook-endpoints/${endpoint.id}/deliveries`),
    ...['test', 'rotate-secret', 'disable', 'enable'].map(
      (verb) => () => who.post(`/webhook-endpoints/${endpoint.id}/${verb}`),
    ),
    () => who.post(`/webhook-endpoints/${endpoint.id}/recover`, { since: ctx.clock.now().toISOString() }),
    () => who.get(`/webhook-deliveries/${delivery.id}`),
    () => who.post(`/webhook-deliveries/${delivery.id}/redeliver`),
    () => who.get(`/integrations/${integration.id}`),
    () => who.post(`/integrations/${integration.id}/reveal`),
    () => who.post(`/keys/${key.id}/revoke`),
    () => who.post(`/payments/webhook-secret/rotations/${rotationId}/confirm`, { code: '123456' }),
  ];
  for (const request of requests(otherOwner)) t.is(resultOf(await request()), '404 not_found', String(request));
  t.deepEqual(await deedsOf(ctx), before);
  // What has to go goes last.
  const own = requests(owner).toSorted(
    (left, right) => Number(/delete/.test(`${left}`)) - Number(/delete/.test(`${right}`)),
  );
  for (const request of own) t.not((await request()).status, 404, `${request} is there for its own`);
});

test('the lists of another store are empty', async (t) => {
  const { ctx, otherOwner } = t.context;
  await buildProduct(ctx);
  await request(ctx);
  await buildReturn(ctx);
  await buildCustomer(ctx);
  const lists = {
    products: 'products',
    content: 'entries',
    'promo-codes': 'promo_codes',
    'gift-cards': 'gift_cards',
    orders: 'orders',
    labels: 'labels',
    returns: 'returns',
    subscriptions: 'subscriptions',
    'webhook-endpoints': 'webhook_endpoints',
    reviews: 'reviews',
    leads: 'leads',
    'wholesale-inquiries': 'wholesale_inquiries',
    waitlist: 'waitlist',
    partners: 'partners',
    'partner-applications': 'applications',
    customers: 'customers',
    'audit-log': 'entries',
    reminders: 'reminders',
  };
  for (const [path, plural] of Object.entries(lists)) {
    const { status, body } = await otherOwner.get(`/${path}`);
    t.is(status, 200, path);
    t.deepEqual(body, { [plural]: [], cursor: null }, path);
    t.is(resultOf(await otherOwner.get(`/${path}?cursor=${newId('ord')}`)), '400 invalid_cursor', path);
  }
});
