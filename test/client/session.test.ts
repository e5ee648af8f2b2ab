import anyTest, { type TestFn } from 'ava';

import { createSession, createStorefront, type SessionStore } from '#src/client/src/index.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { bearer, buildLink, sessionsOf } from '#test/support/factories/sessions.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

const storageKey = 'storefront-session';

interface Visit {
  readonly values: Map<string, string>;
  readonly paths: string[];
}

/** A storefront whose session is in memory; `paths` are those of its requests. */
async function visit({ api, tenant, ctx }: ApiContext, { values, paths }: Visit = { values: new Map(), paths: [] }) {
  const storefront = createStorefront({
    baseUrl: api.url,
    tenant: tenant.slug,
    publishableKey: await buildKey(ctx, ['cart:write'], 'publishable'),
    fetch: (input, init) => {
      paths.push(new URL(input instanceof Request ? input.url : input).pathname.replace('/api/v1', ''));
      return fetch(input, init);
    },
  });
  const store: SessionStore = {
    getItem: async (key) => values.get(key) ?? null,
    setItem: async (key, value) => values.set(key, value),
    removeItem: async (key) => values.delete(key),
  };
  const expire = (ms: number) => {
    const session = JSON.parse(values.get(storageKey) ?? '');
    values.set(storageKey, JSON.stringify({ ...session, expiresAt: Date.now() + ms }));
  };
  return { storefront, session: createSession(storefront, store), values, paths, expire };
}

async function signedIn(context: ApiContext) {
  const customer = await buildCustomer(context.ctx, { name: 'Ada' });
  const visited = await visit(context);
  await visited.session.signIn({ token: await buildLink(context.ctx, customer.email) });
  return { ...visited, customer };
}

test('a customer signs in with a link, is recognized in a later visit, and signs out', async (t) => {
  const { values, session, customer, storefront } = await signedIn(t.context);
  t.like(await session.customer(), { email: customer.email, name: 'Ada' });
  t.is((await storefront.getCustomer()).customer.id, customer.id);

  const later = await visit(t.context, { values, paths: [] });
  t.is((await later.session.customer())?.id, customer.id);
  await buildPaidOrder(t.context.ctx, { email: customer.email });
  for await (const order of later.storefront.listCustomerOrders()) t.regex(order.order_number, /^ORD-/);
  t.is((await later.storefront.createCart()).cart.itemCount, 0, 'other operations are sent the key');

  await later.session.signOut();
  t.is(values.size, 0);
  t.is(await session.customer(), undefined);
  t.deepEqual(await sessionsOf(t.context.ctx, customer.id), ['signed_out']);
  t.like(await t.throwsAsync(() => storefront.getCustomer()), { code: 'invalid_session', status: 401 });
});

test('a session that is about to expire is refreshed once for all requests that wait', async (t) => {
  const { storefront, values, paths, expire } = await signedIn(t.context);
  const before = JSON.parse(values.get(storageKey) ?? '');
  expire(59_000);
  paths.length = 0;
  await Promise.all(Array.from({ length: 5 }, () => storefront.getCustomer()));
  t.deepEqual(paths.toSorted(), ['/customer/refresh', ...Array.from({ length: 5 }, () => '/customer/me')].toSorted());
  t.is(paths[0], '/customer/refresh');
  const after = JSON.parse(values.get(storageKey) ?? '');
  t.not(after.refreshToken, before.refreshToken);
  t.true(after.expiresAt > Date.now() + 800_000);
  await storefront.getCustomer();
  t.is(paths.length, 7);
});

test('two tabs that refresh at the same time both stay signed in', async (t) => {
  const { values, storefront, expire, paths } = await signedIn(t.context);
  const other = await visit(t.context, { values, paths });
  expire(-1000);
  await Promise.all([storefront.getCustomer(), other.storefront.getCustomer()]);
  expire(-1000);
  await other.storefront.getCustomer();
  t.is(paths.filter((path) => path === '/customer/refresh').length, 3);
});

test('a session that was ended elsewhere is removed', async (t) => {
  const { api } = t.context;
  const { storefront, session, values } = await signedIn(t.context);
  const { token } = JSON.parse(values.get(storageKey) ?? '');
  await api.call('POST', '/api/v1/customer/signout', { headers: bearer(token) });
  t.like(await t.throwsAsync(() => storefront.getCustomer()), { status: 401 });
  t.is(await session.customer(), undefined);
});

test('a session that can no longer be refreshed is removed, and one that cannot be for now is used on', async (t) => {
  const { storefront, values, expire } = await signedIn(t.context);
  const stored = values.get(storageKey) ?? '';
  expire(30_000);
  const { refreshToken, ...rest } = JSON.parse(values.get(storageKey) ?? '');
  const unreachable = createStorefront({
    baseUrl: t.context.api.url,
    tenant: t.context.tenant.slug,
    retries: 0,
    fetch: (input, init) => {
      const isRefresh = input instanceof Request && input.url.endsWith('/refresh');
      return isRefresh ? Promise.reject(new TypeError('no connection')) : fetch(input, init);
    },
  });
  const store = new Map([[storageKey, JSON.stringify({ ...rest, refreshToken })]]);
  createSession(unreachable, {
    getItem: (key) => store.get(key) ?? null,
    setItem: (key, value) => store.set(key, value),
    removeItem: (key) => store.delete(key),
  });
  t.truthy((await unreachable.getCustomer()).customer);

  values.set(storageKey, JSON.stringify({ ...JSON.parse(stored), expiresAt: 0, refreshToken: 'unknown' }));
  t.like(await t.throwsAsync(() => storefront.getCustomer()), { status: 401 });
  t.is(values.size, 0);
});
