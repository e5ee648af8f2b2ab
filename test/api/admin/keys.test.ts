import anyTest, { type TestFn } from 'ava';

import { newId } from '#src/lib/ids.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { auditOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

const storefront = { name: 'storefront', kind: 'publishable', scopes: ['products:read'] };

test('POST /admin/keys returns the value of a key once, and the key works until it is revoked', async (t) => {
  const { api, ctx, owner } = t.context;
  const made = await owner.post('/keys', storefront);
  t.is(made.status, 201);
  const { key, value } = made.body;
  t.like(key, {
    name: 'storefront',
    kind: 'publishable',
    scopes: ['products:read'],
    revoked_at: null,
    expires_at: null,
  });
  const use = () => api.call('GET', '/api/v1/products', { key: value });
  t.is((await use()).status, 200);
  t.truthy((await owner.post(`/keys/${key.id}/revoke`)).body.key.revoked_at);
  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ action, subject }) => [action, subject.id]),
    [
      ['key.created', key.id],
      ['key.revoked', key.id],
    ],
  );
  t.false(JSON.stringify([log, (await owner.get('/keys')).body]).includes(value));
});

test('the key of a warehouse ships orders and decides returns, and cannot refund, sell, read customers or create keys', async (t) => {
  const { api, ctx, owner } = t.context;
  const scopes = ['admin.orders:read', 'admin.labels:write', 'admin.returns:write'];
  const { body } = await owner.post('/keys', { name: 'warehouse', kind: 'secret', scopes });
  const order = await buildPaidOrder(ctx);
  const call = async (method: string, path: string, sent?: object) =>
    resultOf(await api.call(method, `/api/v1/admin${path}`, { key: body.value, ...(sent && { body: sent }) }));
  t.is(await call('GET', `/orders/${order.id}`), '200');
  t.is(await call('GET', '/labels'), '200');
  const parcel = { carrier: 'usps', tracking_number: '9400111899223197428490' };
  t.is(await call('POST', `/orders/${order.id}/ship`, parcel), '200');
  for (const [method, path, sent] of [
    ['POST', `/orders/${order.id}/refunds`, { amount_cents: 100 }],
    ['POST', `/returns/${newId('ret')}/refund`, {}],
    ['POST', `/integrations/${newId('conn')}/reveal`, {}],
    ['POST', '/gift-cards', { balance_cents: 100 }],
    ['POST', '/products', {}],
    ['GET', '/customers'],
    ['GET', '/audit-log'],
    ['GET', '/keys'],
    ['POST', '/keys', { name: 'own', kind: 'secret', scopes: ['admin:write'] }],
    ['PUT', '/providers/payments', {}],
  ] as const) {
    t.is(await call(method, path, sent), '403 insufficient_scope', path);
  }
});

test('a key may carry its own limit, which is shown and then holds', async (t) => {
  const { api, owner } = t.context;
  const {
    body: { key, value },
  } = await owner.post('/keys', { ...storefront, name: 'slow', kind: 'secret', requests_per_minute: 7 });
  t.is(key.requests_per_minute, 7);
  t.is(
    (await owner.get('/keys')).body.keys.find(({ name }: { name: string }) => name === 'slow').requests_per_minute,
    7,
  );
  t.is((await owner.post('/keys', storefront)).body.key.requests_per_minute, null);
  // Tests run with every limit a thousand times wider.
  t.is((await api.call('GET', '/api/v1/products', { key: value })).headers.get('ratelimit-limit'), '7000');
  for (const requests_per_minute of [0, 1.5, '7', 100_001]) {
    t.deepEqual(placesOf(await owner.post('/keys', { ...storefront, name: 'odd', requests_per_minute })), [
      '/requests_per_minute',
    ]);
  }
});

test('admin keys reject excessive scopes, a taken name and an unknown id', async (t) => {
  const { owner } = t.context;
  await owner.post('/keys', storefront);
  t.deepEqual(placesOf(await owner.post('/keys', storefront)), ['/name']);
  t.deepEqual(
    placesOf(await owner.post('/keys', { ...storefront, name: 'wide', scopes: ['products:read', 'admin:write'] })),
    ['/scopes/1'],
  );
  t.deepEqual(placesOf(await owner.post('/keys', { ...storefront, name: 'odd', scopes: [] })), ['/scopes']);
  t.is(resultOf(await owner.post(`/keys/${newId('key')}/revoke`)), '404 not_found');
});

test('keys are listed page by page, the oldest first', async (t) => {
  const { owner } = t.context;
  for (const name of ['a', 'b', 'c']) await owner.post('/keys', { ...storefront, name });
  const names = (await pagesOf(owner, '/keys', 'keys')).flat().map(({ name }) => name);
  t.deepEqual(names.slice(1), ['a', 'b', 'c']);
});
