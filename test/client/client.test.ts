import { readFileSync } from 'node:fs';
import anyTest, { type ExecutionContext, type TestFn } from 'ava';
import { openApiDocument } from '#src/api/openapi/openapi-document.ts';
import { routes } from '#src/api/routes.ts';
import { generate } from '#src/client/generate/generate.ts';
import {
  ApiError,
  type CustomerSession,
  createAdmin,
  createSession,
  createStorefront,
  type SessionStore,
  type Storefront,
  type StorefrontOptions,
  verifyWebhook,
  type WebhookEvent,
} from '#src/client/src/index.ts';
import { newSecret } from '#src/domain/webhooks/endpoint-secrets.ts';
import { sign } from '#src/domain/webhooks/signing.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { bearer, buildLink, sessionsOf } from '#test/support/factories/sessions.ts';
import { until } from '#test/support/until.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

const storefrontOf = ({ api, tenant }: ApiContext, options: Partial<StorefrontOptions> = {}) =>
  createStorefront({ baseUrl: api.url, tenant: tenant.slug, ...options });

test('methods take the path and the input, and send a publishable key only where one is required', async (t) => {
  const { ctx } = t.context;
  const { slug } = await buildProduct(ctx, { name: 'Oak bowl' });
  const publishableKey = await buildKey(ctx, ['checkout:write'], 'publishable');
  const secretKey = await buildKey(ctx, ['products:read', 'cart:read', 'cart:write', 'checkout:write']);
  const items = [{ product_slug: slug, quantity: 1 }];
  t.like(await t.throwsAsync(() => storefrontOf(t.context).createCheckoutSession({ items })), { code: 'missing_key' });
  for (const key of [{}, { publishableKey }, { secretKey }]) {
    const storefront = storefrontOf(t.context, key);
    if ('publishableKey' in key || 'secretKey' in key) {
      const error = await t.throwsAsync(() => storefront.createCheckoutSession({ items }));
      t.like(error, { code: 'payment_provider_not_configured' });
    }
    t.is((await storefront.getStorefront()).storefront.slug, t.context.tenant.slug);
    const { product } = await storefront.getProduct(slug);
    t.is(product.name, 'Oak bowl');
    const { cart } = await storefront.createCart();
    const { cart: filled } = await storefront.addCartItem(cart.id, {
      variantId: product.variants[0]?.id ?? '',
      quantity: 2,
    });
    t.is(filled.itemCount, 2);
    const { cart: emptied } = await storefront.removeCartItem(cart.id, filled.items[0]?.id ?? '');
    t.is(emptied.itemCount, 0);
  }
});

test('a request whose response is lost has its effect once', async (t) => {
  const { id } = (await storefrontOf(t.context).createCart()).cart;
  const { variants } = await buildProduct(t.context.ctx);
  let lost = 0;
  const storefront = storefrontOf(t.context, {
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (response.ok && lost++ === 0) throw new TypeError('The connection was lost.');
      return response;
    },
  });
  const { cart } = await storefront.addCartItem(id, { variantId: variants[0]?.id ?? '', quantity: 1 });
  t.is(lost, 2);
  t.is(cart.itemCount, 1);
});

test('for await reads every item of every page, and a list that is awaited is its first page', async (t) => {
  const { ctx } = t.context;
  for (let number = 0; number < 5; number += 1) await buildProduct(ctx);
  const admin = createAdmin({ baseUrl: t.context.api.url, secretKey: await buildKey(ctx, ['admin:read']) });
  for (const list of [
    () => storefrontOf(t.context).listProducts({ limit: 2 }),
    () => admin.listProducts({ limit: 2 }),
  ]) {
    const slugs: string[] = [];
    for await (const product of list()) slugs.push(product.slug);
    t.is(slugs.length, 5);
    t.is(new Set(slugs).size, 5);
    const { products, cursor } = await list();
    t.deepEqual(
      products.map(({ slug }) => slug),
      slugs.slice(0, 2),
    );
    t.is(typeof cursor, 'string');
  }
});

test('a page that fails ends for await with the error', async (t) => {
  const request = async () => {
    for await (const product of storefrontOf(t.context).listProducts({ cursor: 'from elsewhere' }))
      t.fail(product.slug);
  };
  t.like(await t.throwsAsync(request), { code: 'invalid_cursor', status: 400 });
});

test('an error has its code, its status, its request, every problem and further fields', async (t) => {
  const storefront = storefrontOf(t.context);
  const invalid = await t.throwsAsync<ApiError>(() => storefront.createLead({ email: 'nowhere' }));
  t.true(invalid instanceof ApiError);
  t.like(invalid, { code: 'invalid_request', status: 400, message: invalid.detail });
  t.regex(invalid.requestId ?? '', /^req_/);
  t.true(invalid.errors.some(({ path }) => path === '/email'));
  t.like(await t.throwsAsync(() => storefront.getProduct('no/such product')), { code: 'not_found', errors: [] });

  const admin = createAdmin({ baseUrl: t.context.api.url, secretKey: await buildKey(t.context.ctx, ['orders:read']) });
  const denied = await t.throwsAsync<ApiError>(() => admin.listOrders());
  t.like(denied, { code: 'insufficient_scope', status: 403, body: { required_scope: 'admin.orders:read' } });
});

test('the API by its paths is authenticated and repeated like the methods', async (t) => {
  const { slug } = await buildProduct(t.context.ctx);
  const { http } = storefrontOf(t.context);
  const { data } = await http.GET('/api/v1/products/{slug}', { params: { path: { slug } } });
  t.is(data?.product.slug, slug);
  const { error, response } = await http.GET('/api/v1/products/{slug}', { params: { path: { slug: 'none' } } });
  t.is(error?.error, 'not_found');
  t.is(response.status, 404);
  const created = await http.POST('/api/v1/cart', { body: {} });
  t.is(created.data?.cart.itemCount, 0);
});

interface Visit {
  readonly values: Map<string, string>;
  readonly paths: string[];
}

const storeOf = (values: Map<string, string>): SessionStore => ({
  getItem: async (key) => values.get(key) ?? null,
  setItem: async (key, value) => values.set(key, value),
  removeItem: async (key) => values.delete(key),
});

/** A storefront whose session is in memory; `paths` are those of its requests, which `replies` hold up. */
async function visit({ api, tenant, ctx }: ApiContext, { values, paths }: Visit = { values: new Map(), paths: [] }) {
  const replies = new Map<string, Promise<void>>();
  const storefront = createStorefront({
    baseUrl: api.url,
    tenant: tenant.slug,
    publishableKey: await buildKey(ctx, ['cart:write'], 'publishable'),
    fetch: async (input, init) => {
      const path = new URL(input instanceof Request ? input.url : input).pathname.replace('/api/v1', '');
      paths.push(path);
      await replies.get(path);
      return fetch(input, init);
    },
  });
  const storageKey = `storefront-session:${storefront.id}`;
  const expire = (ms: number) => {
    const session = JSON.parse(values.get(storageKey) ?? '');
    values.set(storageKey, JSON.stringify({ ...session, expiresAt: Date.now() + ms }));
  };
  return {
    storefront,
    session: createSession(storefront, storeOf(values)),
    values,
    paths,
    replies,
    expire,
    storageKey,
  };
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
  const { orderNumber } = await buildPaidOrder(t.context.ctx, { email: customer.email });
  const listed: string[] = [];
  for await (const { order_number } of later.storefront.listCustomerOrders()) listed.push(order_number);
  t.deepEqual(listed, [orderNumber]);
  t.is((await later.storefront.createCart()).cart.itemCount, 0, 'other operations are sent the key');

  await later.session.signOut();
  t.is(values.size, 0);
  t.is(await session.customer(), undefined);
  t.deepEqual(await sessionsOf(t.context.ctx, customer.id), ['signed_out']);
  t.like(await t.throwsAsync(() => storefront.getCustomer()), { code: 'invalid_session', status: 401 });
});

test('a session that is about to expire is refreshed once for all requests that wait', async (t) => {
  const { storefront, values, paths, expire, storageKey } = await signedIn(t.context);
  const before = JSON.parse(values.get(storageKey) ?? '');
  expire(59_000);
  paths.length = 0;
  await Promise.all(Array.from({ length: 5 }, () => storefront.getCustomer()));
  t.deepEqual(paths.toSorted(), ['/customer/refresh', ...Array.from({ length: 5 }, () => '/customer/me')].toSorted());
  t.is(paths[0], '/customer/refresh');
  const after = JSON.parse(values.get(storageKey) ?? '');
  t.not(after.refresh_token, before.refresh_token);
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
  const { storefront, session, values, storageKey } = await signedIn(t.context);
  const { session_token } = JSON.parse(values.get(storageKey) ?? '');
  await api.call('POST', '/api/v1/customer/signout', { headers: bearer(session_token) });
  t.like(await t.throwsAsync(() => storefront.getCustomer()), { status: 401 });
  t.is(await session.customer(), undefined);
});

test('a session that can no longer be refreshed is removed, and one that cannot be for now is used on', async (t) => {
  const { storefront, values, expire, storageKey } = await signedIn(t.context);
  const stored = values.get(storageKey) ?? '';
  expire(30_000);
  const unreachable = createStorefront({
    baseUrl: t.context.api.url,
    tenant: t.context.tenant.slug,
    retries: 0,
    fetch: (input, init) => {
      const isRefresh = input instanceof Request && input.url.endsWith('/refresh');
      return isRefresh ? Promise.reject(new TypeError('no connection')) : fetch(input, init);
    },
  });
  const store = new Map(values);
  createSession(unreachable, {
    getItem: (key) => store.get(key) ?? null,
    setItem: (key, value) => store.set(key, value),
    removeItem: (key) => store.delete(key),
  });
  t.truthy((await unreachable.getCustomer()).customer);

  values.set(storageKey, JSON.stringify({ ...JSON.parse(stored), expiresAt: 0, refresh_token: 'unknown' }));
  t.like(await t.throwsAsync(() => storefront.getCustomer()), { status: 401 });
  t.is(values.size, 0);
});

test('an abort ends waiting for a refresh, which goes on for the others that wait', async (t) => {
  const { storefront, expire, replies, paths } = await signedIn(t.context);
  expire(-1000);
  let respond = () => {};
  replies.set('/customer/refresh', new Promise<void>((resolve) => (respond = resolve)));
  const controller = new AbortController();
  const reason = new Error('The shopper left.');
  const aborted = storefront.getCustomer({ signal: controller.signal });
  const other = storefront.getCustomer();
  await until(() => paths.includes('/customer/refresh'));
  controller.abort(reason);
  t.is(await t.throwsAsync(aborted), reason);
  respond();
  t.truthy((await other).customer);
  t.is(paths.filter((path) => path === '/customer/refresh').length, 1);
});

test('a late 401 and a late refresh leave the session of a newer sign-in alone', async (t) => {
  const { storefront, session, expire, values, storageKey, replies, paths } = await signedIn(t.context);
  const sent = JSON.parse(values.get(storageKey) ?? '');
  const next = await buildCustomer(t.context.ctx, { name: 'Grace' });

  values.set(storageKey, JSON.stringify({ ...sent, session_token: 'ended elsewhere' }));
  let respond = () => {};
  replies.set('/customer/me', new Promise<void>((resolve) => (respond = resolve)));
  const late = storefront.getCustomer();
  await until(() => paths.includes('/customer/me'));
  await session.signIn({ token: await buildLink(t.context.ctx, next.email) });
  respond();
  t.like(await t.throwsAsync(late), { status: 401 });
  t.like(await session.customer(), { name: 'Grace' });

  values.set(storageKey, JSON.stringify(sent));
  expire(-1000);
  replies.clear();
  replies.set('/customer/refresh', new Promise<void>((resolve) => (respond = resolve)));
  const refreshed = storefront.getCustomer();
  await until(() => paths.includes('/customer/refresh'));
  await session.signIn({ token: await buildLink(t.context.ctx, next.email) });
  respond();
  t.is((await refreshed).customer.name, 'Grace');
  t.like(await session.customer(), { name: 'Grace' });
});

test('stores of one origin do not see the sessions of each other', async (t) => {
  const { values, paths } = await signedIn(t.context);
  const other = await visit({ ...t.context, tenant: { ...t.context.tenant, slug: 'another' } }, { values, paths });
  t.is(await other.session.customer(), undefined);
  t.is(values.size, 1);
});

test('a session that the store loses, garbles or rejects does not fail', async (t) => {
  const { session, values, storageKey } = await signedIn(t.context);
  for (const value of ['{"session_token":', '"text"', '{}', 'null', '']) {
    values.set(storageKey, value);
    t.is(await session.customer(), undefined, value);
  }

  const { storefront } = await visit(t.context);
  const reject = () => {
    throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
  };
  const unsaved = createSession(storefront, { getItem: reject, setItem: reject, removeItem: reject });
  await assertLastsAsLongAsThePage(t, storefront, unsaved);
});

test('a session lasts as long as the page where a browser blocks its store, and is stored where it does not', async (t) => {
  const { storefront } = await visit(t.context);
  const blocked = () => {
    throw new DOMException('Access is denied for this document.', 'SecurityError');
  };
  await assertLastsAsLongAsThePage(t, storefront, createSession(storefront, blocked));

  const values = new Map<string, string>();
  const { storefront: other } = await visit(t.context);
  const stored = createSession(other, () => storeOf(values));
  const { email } = await buildCustomer(t.context.ctx);
  await stored.signIn({ token: await buildLink(t.context.ctx, email) });
  t.deepEqual([...values.keys()], [`storefront-session:${other.id}`]);
});

async function assertLastsAsLongAsThePage(
  t: ExecutionContext<ApiContext>,
  storefront: Storefront,
  session: CustomerSession,
): Promise<void> {
  t.is(await session.customer(), undefined);
  const customer = await buildCustomer(t.context.ctx);
  await session.signIn({ token: await buildLink(t.context.ctx, customer.email) });
  t.is((await storefront.getCustomer()).customer.id, customer.id);
  await session.signOut();
  t.is(await session.customer(), undefined);
}

const secret = newSecret();

const body = JSON.stringify({
  id: 'evt_1',
  type: 'order.paid',
  data: { object: { order_number: 'ORD-1001' }, object_version: 3 },
});

/** Signed when a test needs them: a signature is valid for five minutes. */
const signedHeaders = () => sign([newSecret(), secret], 'evt_1', new Date(), body);

/** Compiles only while the event is a union by type. */
function orderNumberOf(event: WebhookEvent): string | undefined {
  return event.type === 'order.paid' ? event.data.object.order_number : undefined;
}

test('verifyWebhook returns the event of a signed body, in each form in which runtimes have it', (t) => {
  const headers = signedHeaders();
  const bytes = new TextEncoder().encode(body);
  const given = { host: 'shop.example', 'x-forwarded-for': ['203.0.113.7'], 'x-absent': undefined, ...headers };
  for (const [text, named] of [
    [body, headers],
    [bytes, new Headers(headers)],
    [bytes.buffer, given],
    [Buffer.from(body), given],
  ] as const)
    t.is(orderNumberOf(verifyWebhook(text, named, secret)), 'ORD-1001');
});

test('verifyWebhook rejects another body, another secret, an old signature and none', (t) => {
  const headers = signedHeaders();
  const old = sign([secret], 'evt_1', new Date(Date.now() - 10 * 60_000), body);
  for (const [text, named, key] of [
    [body.replace('1001', '1002'), headers, secret],
    [body, headers, newSecret()],
    [body, headers, 'no secret'],
    [body, old, secret],
    [body, {}, secret],
  ] as const) {
    const error = t.throws(() => verifyWebhook(text, named, key), { instanceOf: ApiError });
    t.is(error.code, 'invalid_signature');
  }
});

test('verifyWebhook says that the secret is empty, and rejects a request without headers', (t) => {
  t.like(
    t.throws(() => verifyWebhook(body, signedHeaders(), '')),
    { name: 'ApiError', code: 'invalid_argument' },
  );
  for (const absent of [undefined, null])
    t.like(
      t.throws(() => verifyWebhook(body, absent as unknown as Headers, secret)),
      { name: 'ApiError', code: 'invalid_signature' },
    );
});

// Serial: it keeps the thread for seconds, while requests of the others would time out.
test.serial('the types and methods of the client are those of the API document', async (t) => {
  const document = openApiDocument(routes, { publicUrl: 'http://127.0.0.1:3000' });
  const files = await generate(JSON.parse(JSON.stringify(document)));
  for (const [name, text] of Object.entries(files)) {
    const committed = readFileSync(new URL(`../../src/client/src/generated/${name}`, import.meta.url), 'utf8');
    t.true(committed === text, `${name} is out of date: npm run client:types`);
  }
  t.true(Object.values(files).join('').split('\n').length <= 40 * routes.length);
});
