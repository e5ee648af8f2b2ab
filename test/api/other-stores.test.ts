import anyTest, { type TestFn } from 'ava';
import { submitReview } from '#src/domain/catalog/index.ts';
import { scopes } from '#src/domain/tenants/api-key.ts';
import { newId } from '#src/lib/ids.ts';
import { request } from '#test/domain/shipping/support.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { buildCart } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaidOrder, newYork } from '#test/support/factories/orders.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { buildReturn } from '#test/support/factories/returns.ts';
import { buildSession } from '#test/support/factories/sessions.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { buildEndpoint, receiverFor } from '#test/support/factories/webhooks.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { deedsOf, type Owner, type OwnerContext, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test, { ports: { payments: fakePaymentGateway() } });

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
  const partner = await buildPartner(ctx);
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
    () => who.delete(`/partners/${partner.code}`),
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

type Request = [method: string, path: string, body?: object];

/** The errors for something that does not exist: any other would reveal that it does. */
const found = ({ status }: ApiResponse) => status !== 404 && (status < 400 || status === 409 || status >= 502);

test('requests to another store find nothing of this one, by header, key or session', async (t) => {
  const { api, ctx, services } = t.context;
  const product = await buildProduct(ctx);
  const cart = await buildCart(ctx, [product.variant.id]);
  const entry = await buildEntry(ctx);
  const order = await buildPaidOrder(ctx);
  const partner = await buildPartner(ctx);
  const subscription = await buildSubscription(ctx);
  await buildReturn(ctx);
  const line = cart.lines[0]?.id ?? '';
  const other = { ...ctx, tenant: await buildTenant(services) };
  const [mine, theirs] = [await buildKey(ctx, scopes), await buildKey(other, scopes)];

  const open: Request[] = [
    ['GET', `/cart/${cart.id}`],
    ['POST', `/cart/${cart.id}/items`, { variantId: product.variant.id, quantity: 1 }],
    ['PATCH', `/cart/${cart.id}/items/${line}`, { quantity: 2 }],
    ['DELETE', `/cart/${cart.id}/items/${line}`],
    ['GET', `/products/${product.slug}`],
    ['GET', `/products/${product.slug}/images`],
    ['GET', `/products/${product.slug}/reviews`],
    ['POST', `/products/${product.slug}/reviews`, { rating: 5 }],
    ['GET', `/inventory/${product.slug}`],
    ['GET', `/content/${entry.type}/${entry.slug}`],
    ['GET', `/checkout/${order.id}/status`],
    ['GET', `/orders/${order.id}?email=ada@example.com`],
    ['GET', `/partners/${partner.code}`],
  ];
  const keyed: Request[] = [
    ['GET', `/subscriptions/${subscription.id}`],
    ['POST', `/subscriptions/${subscription.id}/reactivate`],
    ['POST', `/subscriptions/${subscription.id}/manage`, { action: 'pause' }],
    ['GET', `/orders/${order.id}`],
  ];
  const request = ([method, path, body]: Request, who: { tenant?: string; key?: string }) =>
    api.call(method, `/api/v1${path}`, { ...who, ...(body && { body }) });
  for (const sent of [...open, ...keyed]) {
    const withKey = [theirs, mine].map((key) => ({ key }));
    const [foreign, own] = keyed.includes(sent)
      ? withKey
      : [{ tenant: other.tenant.slug }, { tenant: ctx.tenant.slug }];
    const name = sent.slice(0, 2).join(' ');
    if (sent[1].includes('/reviews') && sent[0] === 'POST') {
      t.is((await request(sent, { tenant: other.tenant.slug })).body.error, 'not_found', name);
    } else {
      t.is((await request(sent, foreign ?? {})).body.error, 'not_found', name);
      t.is((await request(sent, { key: theirs })).body.error, 'not_found', name);
    }
    t.true(found(await request(sent, own ?? {})), `${name} is there for its own`);
  }
});

test('one type of content in two stores is two lists; one customer of two stores has separate orders', async (t) => {
  const { api, ctx, services } = t.context;
  const other = { ...ctx, tenant: await buildTenant(services) };
  const { type } = await buildEntry(ctx);
  t.is((await api.call('GET', `/api/v1/content/${type}`, { tenant: ctx.tenant.slug })).body.entries.length, 1);
  t.deepEqual((await api.call('GET', `/api/v1/content/${type}`, { tenant: other.tenant.slug })).body.entries, []);

  const order = await buildPaidOrder(ctx);
  const [here, there] = [
    await buildSession(ctx, { email: 'ada@example.com' }),
    await buildSession(other, { email: 'ada@example.com' }),
  ];
  const read = ({ token }: { token: string }) =>
    api.call('GET', `/api/v1/customer-portal/orders/${order.id}`, { key: token });
  t.is((await read(there)).body.error, 'not_found');
  t.is((await read(here)).body.order.id, order.id);
});
