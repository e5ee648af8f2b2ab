import anyTest, { type TestFn } from 'ava';

import { routes } from '#src/api/routes.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
const payments = fakePaymentGateway();
useApi(test, { ports: { payments } });

type Send = (urls: { return_url?: string; cancel_url?: string }) => Promise<ApiResponse>;

/** Every operation that sends a shopper back, of a store with these origins. */
async function operationsOf(
  { api, ctx, services }: ApiContext,
  allowedOrigins: string[],
): Promise<Record<string, Send>> {
  const tenant = await buildTenant(services, { storefrontUrl: 'https://shop.example', allowedOrigins });
  const own = { ...ctx, tenant };
  await buildPaymentAccount(own);
  const key = await buildKey(own, ['checkout:write']);
  const { email } = await buildCustomer(own);
  const beans = await buildProduct(own, {
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month'],
  });
  const line = { product_slug: beans.slug, variant_id: beans.variant.id };
  return {
    '/api/v1/checkout/sessions': (urls) =>
      api.call('POST', '/api/v1/checkout/sessions', { key, body: { items: [{ ...line, quantity: 1 }], ...urls } }),
    '/api/v1/subscriptions/gift-checkout': (urls) =>
      api.call('POST', '/api/v1/subscriptions/gift-checkout', {
        key,
        body: { ...line, months: 1, recipient_email: 'grace@example.com', ...urls },
      }),
    '/api/v1/billing-portal': (urls) =>
      api.call('POST', '/api/v1/billing-portal', { tenant: tenant.slug, body: { customer_email: email, ...urls } }),
  };
}

/** Not a shopper's way: the owner's own page, and a path of the storefront, which nothing leads away from. */
const ofOthers = ['/api/v1/admin/integrations', '/api/v1/customer-portal'];

test('every route with a return URL validates it by the same rule', async (t) => {
  const rows: [url: string, any: number, listed: number][] = [
    ['https://shop.example/thanks', 200, 200],
    ['https://www.shop.example/', 200, 200],
    ['https://elsewhere.example/', 200, 400],
    ['https://shop.example/c?filter[color]=red', 200, 200],
    ["https://shop.example/men's?a=Fall%20|%20Sale&b={b}^`", 200, 200],
    ['https://münchen.de/ok', 200, 400],
    ['http://localhost:5173/thanks', 200, 200],
    ['javascript:alert(1)', 400, 400],
    ['ftp://shop.example/', 400, 400],
  ];
  const stores = [await operationsOf(t.context, ['*']), await operationsOf(t.context, ['https://www.shop.example'])];
  const taking = routes.filter(
    ({ body }) =>
      body && ['return_url', 'cancel_url'].some((name) => name in ((body as { properties?: object }).properties ?? {})),
  );
  t.deepEqual(taking.map(({ path }) => path).toSorted(), [...Object.keys(stores[0] ?? {}), ...ofOthers].toSorted());
  for (const [url, ...expected] of rows) {
    for (const [index, operations] of stores.entries()) {
      for (const [path, request] of Object.entries(operations)) {
        for (const field of path.endsWith('portal') ? ['return_url'] : ['return_url', 'cancel_url']) {
          const { status, body } = await request({ [field]: url });
          t.is(status, expected[index] ?? 0, `${path} ${field} ${url}`);
          if (status !== 200)
            t.like(body, { error: 'invalid_request', errors: [{ path: `/${field}` }] }, `${path} ${field} ${url}`);
        }
      }
    }
  }
});

test('a payment page leads back to the order, and to the session of the provider', async (t) => {
  const operations = await operationsOf(t.context, ['https://www.shop.example']);
  for (const path of ['/api/v1/checkout/sessions', '/api/v1/subscriptions/gift-checkout']) {
    const url = 'https://shop.example/order/{ORDER_ID}?session={CHECKOUT_SESSION_ID}';
    const { status, body } =
      (await operations[path]?.({ return_url: url, cancel_url: 'https://shop.example/cart?order={ORDER_ID}' })) ?? {};
    t.is(status, 200, path);
    const request = payments.requests.get(`checkout:${body.order_id}`);
    t.is(request?.returnUrl, `https://shop.example/order/${body.order_id}?session={CHECKOUT_SESSION_ID}`);
    t.is(request?.cancelUrl, `https://shop.example/cart?order=${body.order_id}`);
  }
});

test('POST /billing-portal returns 404 for an unknown customer before it validates the return URL', async (t) => {
  const { api, services } = t.context;
  const tenant = await buildTenant(services, { allowedOrigins: ['https://www.shop.example'] });
  for (const return_url of ['https://evil.example/', 'javascript:alert(1)', tenant.storefrontUrl]) {
    const response = await api.call('POST', '/api/v1/billing-portal', {
      tenant: tenant.slug,
      body: { customer_email: 'nobody@example.com', return_url },
    });
    t.like(response, { status: 404, body: { error: 'customer_not_found' } }, return_url);
  }
  const shape = await api.call('POST', '/api/v1/billing-portal', {
    tenant: tenant.slug,
    body: { customer_email: 'nobody@example.com', return_url: 'no url' },
  });
  t.like(shape, { status: 400, body: { errors: [{ path: '/return_url' }] } });
});
