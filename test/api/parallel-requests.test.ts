import anyTest, { type TestFn } from 'ava';

import { routes } from '#src/api/routes.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import { nameOf, type Sending, type StoreContext, send, useStore } from '#test/support/every-route.ts';
import { buildCart } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildPartner } from '#test/support/factories/partners.ts';

const test = anyTest as TestFn<StoreContext>;
useStore(test, { environment: { RATE_LIMIT_SCALE: '1000' } });

const methods = ['post', 'put', 'patch', 'delete'];
const changing = routes
  .filter(({ method, audience }) => method !== 'get' && audience.kind !== 'inbound')
  .toSorted((left, right) => methods.indexOf(left.method) - methods.indexOf(right.method));

/** What the examples cannot know: what there is in this store, and windows that end after they start. */
async function givenIn({ ctx }: StoreContext): Promise<Record<string, Sending>> {
  const { slug, variant } = await buildProduct(ctx, { slug: 'beans' });
  const cart = await buildCart(ctx, [variant.id]);
  const line = cart.lines[0]?.id ?? '';
  const partner = await buildPartner(ctx);
  const ended = { starts_at: '2026-11-20T12:00:00Z', ends_at: '2027-11-20T12:00:00Z' };
  const exampleFor = (name: string) => {
    const body = changing.find((route) => nameOf(route) === name)?.body;
    return body && (exampleOf(body) as object);
  };
  const withTimes = (name: string): Sending => ({ body: { ...exampleFor(name), ...ended } });
  return {
    'POST /api/v1/admin/content': withTimes('POST /api/v1/admin/content'),
    'POST /api/v1/admin/promo-codes': withTimes('POST /api/v1/admin/promo-codes'),
    'PUT /api/v1/admin/content/:type/:slug': withTimes('PUT /api/v1/admin/content/:type/:slug'),
    'PUT /api/v1/admin/promo-codes/:code': withTimes('PUT /api/v1/admin/promo-codes/:code'),
    'POST /api/v1/cart/:id/items': { params: { id: cart.id }, body: { variantId: variant.id, quantity: 1 } },
    'PATCH /api/v1/cart/:id/items/:itemId': { params: { id: cart.id, itemId: line }, body: { quantity: 2 } },
    'DELETE /api/v1/cart/:id/items/:itemId': { params: { id: cart.id, itemId: line } },
    'POST /api/v1/products/:slug/reviews': { params: { slug } },
    'POST /api/v1/leads/waitlist': { body: { email: 'ada@example.com', product_slug: slug } },
    'POST /api/v1/partners/track': { body: { code: partner.code, session_id: 'one' } },
  };
}

test('every route that changes something handles identical concurrent requests without a 500', async (t) => {
  const given = await givenIn(t.context);
  const succeeded = new Set<string>();
  for (const route of changing) {
    const name = nameOf(route);
    for (let round = 0; round < 2; round += 1) {
      const responses = await Promise.all([1, 2, 3].map(() => send(t.context, route, given[name])));
      const summary = responses.map(({ status, body }) => `${status} ${body?.detail ?? ''}`).join(', ');
      t.false(
        responses.some(({ status }) => status === 500),
        `${name}: ${summary}`,
      );
      if (responses.some(({ status }) => status < 300)) succeeded.add(name);
    }
  }
  const creating = ['content', 'gift-cards', 'keys', 'partners', 'products', 'promo-codes', 'webhook-endpoints'];
  for (const name of [...creating.map((name) => `POST /api/v1/admin/${name}`), ...Object.keys(given)])
    t.true(succeeded.has(name), `${name} was tried in vain`);
});

test('concurrent requests do not give two webhook endpoints the same URL', async (t) => {
  const { api, key } = t.context;
  const call = (method: string, path: string, url: string) =>
    api.call(method, `/api/v1/admin/webhook-endpoints${path}`, { key, body: { url, events: ['order.*'] } });
  const created = await Promise.all([1, 2, 3].map((n) => call('POST', '', `https://shop.example/${n}`)));
  const taken = { status: 400, body: { error: 'invalid_request', errors: [{ path: '/url' }] } };
  for (let round = 0; round < 5; round += 1) {
    const url = `https://shop.example/shared-${round}`;
    const responses = await Promise.all(created.map(({ body }) => call('PATCH', `/${body.webhook_endpoint.id}`, url)));
    const [changed, ...others] = responses.toSorted((left, right) => left.status - right.status);
    t.is(changed?.status, 200);
    for (const other of others) t.like(other, taken);
    t.like(await call('POST', '', url), taken);
  }
});
