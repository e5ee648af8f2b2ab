import anyTest, { type TestFn } from 'ava';
import { listLeads } from '#src/domain/leads/index.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildStockedStore } from '#test/support/factories/store.ts';
import { fakeShippingByStore } from '#test/support/fakes/shipping-gateway.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
const shipping = fakeShippingByStore();
useApi(test, { ports: { shipping: shipping.gateway } });

test('text that PostgreSQL cannot store is rejected anywhere in a body', async (t) => {
  const { api, ctx, tenant } = t.context;
  const headers = { 'content-type': 'application/json' };
  const post = (path: string, body: string) => api.call('POST', path, { tenant: tenant.slug, body, headers });
  for (const text of ['\\u0000', 'a\\u0000b', '\\ud800', 'x\\uDC00', '\\ude00\\ud83d']) {
    t.like(await post('/api/v1/leads', `{"email":"ada@example.com","name":"${text}"}`), {
      status: 400,
      body: { error: 'invalid_json' },
    });
    t.like(await post('/api/v1/wholesale', `{"email":"ada@example.com","${text}":1}`), {
      status: 400,
      body: { error: 'invalid_json' },
    });
  }
  t.is((await post('/api/v1/leads', '{"email":"ada@example.com","name":"\\ud83d\\ude00 \\\\u0000"}')).status, 201);
  t.is((await listLeads(ctx, {})).rows[0]?.name, '😀 \\u0000');
});

test('a body that is not UTF-8 is rejected, and one with a byte-order mark is read', async (t) => {
  const { api, tenant } = t.context;
  const post = async (body: Buffer) => {
    const headers = { 'content-type': 'application/json', 'x-tenant-slug': tenant.slug };
    const response = await fetch(`${api.url}/api/v1/leads`, { method: 'POST', headers, body: new Uint8Array(body) });
    return [response.status, ((await response.json()) as { error?: string }).error];
  };
  const lead = '{"email":"ada@example.com","name":"José"}';
  t.deepEqual(await post(Buffer.from(lead, 'latin1')), [400, 'invalid_json']);
  t.deepEqual(await post(Buffer.from(lead, 'utf16le')), [400, 'invalid_json']);
  t.deepEqual(await post(Buffer.from(`\ufeff${lead}`)), [201, undefined]);
});

test('a letter with an accent is the same letter however it was written', async (t) => {
  const { api, ctx, tenant } = t.context;
  const key = await buildKey(ctx, ['admin:write']);
  for (const [written, requested] of [
    ['été', 'été'.normalize('NFD')],
    ['été'.normalize('NFD'), 'été'],
  ] as const) {
    const slug = `the-${written.length}`;
    const product = { slug, name: 'Thé glacé', category: written, tags: [written], status: 'published' };
    const variants = [{ name: 'One', sku: slug, price_cents: 500 }];
    const { status } = await api.call('POST', '/api/v1/admin/products', { key, body: { ...product, variants } });
    t.true(status < 300, String(status));
    for (const filter of ['tag', 'category']) {
      const path = `/api/v1/products?${filter}=${encodeURIComponent(requested)}`;
      const { body } = await api.call('GET', path, { tenant: tenant.slug });
      t.true(
        body.products.some((found: { slug: string }) => found.slug === slug),
        `${filter} of ${slug}`,
      );
    }
  }
});

test('a letter that a body names by escapes is composed, too', async (t) => {
  const { api, ctx, tenant } = t.context;
  const headers = { 'content-type': 'application/json' };
  const body = '{"email":"ada@example.com","name":"Jose\\u0301"}';
  t.is((await api.call('POST', '/api/v1/leads', { tenant: tenant.slug, headers, body })).status, 201);
  t.is((await listLeads(ctx, {})).rows[0]?.name, 'Jos\u00e9');
});

test('NUL in a URL is rejected with its path', async (t) => {
  const { api, tenant } = t.context;
  for (const path of ['/api/v1/products?q=a%00b', '/api/v1/search?q=%00', '/api/v1/products?q=a&q=%00']) {
    t.like(
      await api.call('GET', path, { tenant: tenant.slug }),
      { status: 400, body: { error: 'invalid_request', errors: [{ path: '/q' }] } },
      path,
    );
  }
  t.is((await api.call('GET', '/api/v1/content/a%00b', { tenant: tenant.slug })).status, 404);
});

const post = ({ api, tenant }: ApiContext, path: string, body: object) =>
  api.call('POST', `/api/v1${path}`, { tenant: tenant.slug, body });

test('POST /shipping/rates reads a weight that is sent as text, and rejects one that is none', async (t) => {
  await buildShippingAccount(t.context.ctx);
  const request = (weight_oz: unknown) =>
    post(t.context, '/shipping/rates', { ship_to: { zip: '10010', country: 'US' }, parcel: { weight_oz } });
  t.is((await request('17.2')).status, 200);
  t.is((await request(17.2)).status, 200);
  for (const weight of ['', '0', 0, '-1', 'heavy', '1e3', null, '9'.repeat(200_000 / 8)]) {
    t.is((await request(weight)).body.errors?.[0].path, '/parcel/weight_oz', String(weight).slice(0, 10));
  }
});

test('POST /cart/apply-gift-card rejects a decimal with the hint that amounts are minor units', async (t) => {
  for (const orderTotal of [19.99, '19.99', '100.00', '100.0']) {
    const { status, body } = await post(t.context, '/cart/apply-gift-card', { code: 'ABCD', orderTotal });
    t.is(status, 400);
    t.is(body.errors[0].detail, 'must be a whole number of minor units, such as cents: 1999 for 19.99');
  }
  t.is((await post(t.context, '/cart/apply-gift-card', { code: 'ABCD', orderTotal: '1999' })).status, 200);
});

test('carts, saved carts, reviews and leads read numbers and booleans as text, and null as omitted', async (t) => {
  const { api, tenant, ctx } = t.context;
  const known = await buildStockedStore(ctx);
  const variantId = known.find((id) => id.startsWith('var_'));
  const {
    body: { cart },
  } = await post(t.context, '/cart', {});
  const added = await post(t.context, `/cart/${cart.id}/items`, { variantId, quantity: null, unitPriceCents: null });
  t.is(added.body.cart.items[0].quantity, 1);
  const line = `/api/v1/cart/${cart.id}/items/${added.body.cart.items[0].id}`;
  const patch = (quantity: unknown) => api.call('PATCH', line, { tenant: tenant.slug, body: { quantity } });
  t.is((await patch('3')).body.cart.items[0].quantity, 3);
  t.is((await patch(null)).body.cart.items[0].quantity, 3);
  const saved = {
    email: 'ada@example.com',
    items: [{ product_slug: 'gone', quantity: '2', price_cents: '3800', unit_price_cents: null }],
  };
  t.is((await post(t.context, '/cart/save', { ...saved, consent: 'false' })).body.reminders, 'not_scheduled');
  t.is((await post(t.context, '/cart/save', { ...saved, consent: 'perhaps' })).body.errors[0].path, '/consent');
  t.is((await post(t.context, '/leads', { email: 'ada@example.com', consent: 'true' })).status, 201);
});
