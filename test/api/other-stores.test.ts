import anyTest, { type TestFn } from 'ava';
import { scopes } from '#src/domain/tenants/api-key.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { buildCart } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { buildReturn } from '#test/support/factories/returns.ts';
import { buildSession } from '#test/support/factories/sessions.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test, { ports: { payments: fakePaymentGateway() } });

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
