import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import test, { type ExecutionContext } from 'ava';

import {
  type ApiError,
  createAdmin,
  createStorefront,
  type StorefrontOptions,
  waitForOrder,
} from '#src/client/src/index.ts';
import { bundle } from '#test/client/serve-pages.ts';
import { until } from '#test/support/until.ts';

type Reply = (response: ServerResponse, request: IncomingMessage) => unknown;

const cart: Reply = (response) => response.writeHead(201, { 'x-request-id': 'req_1' }).end('{"cart":{"id":"cart_1"}}');
const drop: Reply = (_, request) => request.socket.destroy();
const hang: Reply = () => undefined;
const proxyError: Reply = (response) => response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad Gateway');
const failure =
  (status: number, error: string, headers: Record<string, string> = {}): Reply =>
  (response) =>
    response
      .writeHead(status, { 'x-request-id': 'req_1', 'content-type': 'application/json', ...headers })
      .end(JSON.stringify({ error, detail: 'It failed.', request_id: 'req_1' }));

/** A storefront of a server that replies to each request with the next of these, and to further ones with the last. */
async function storefrontOf(t: ExecutionContext, replies: Reply[], options: Partial<StorefrontOptions> = {}) {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    const reply = replies[Math.min(keys.length, replies.length) - 1];
    request.resume().on('end', () => reply?.(response, request));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { storefront: createStorefront({ baseUrl, tenant: 'a-store', ...options }), keys, baseUrl };
}

const errorOf = (request: Promise<unknown>): Promise<ApiError> =>
  request.then(
    () => Promise.reject(new Error('It succeeded.')),
    (error) => error,
  );

test('a request whose response is lost is sent again with the same idempotency key', async (t) => {
  const { storefront, keys } = await storefrontOf(t, [drop, proxyError, cart]);
  t.is((await storefront.createCart()).cart.id, 'cart_1');
  t.is(keys.length, 3);
  t.is(new Set(keys).size, 1);
  t.regex(String(keys[0]), /^\d+(-\d+){3}$/);
});

test('the page of a proxy that names the request is no response of the service', async (t) => {
  const page: Reply = (response) =>
    response.writeHead(502, { 'content-type': 'text/html', 'x-request-id': 'proxy_1' }).end('<h1>Bad Gateway');
  const { storefront, keys } = await storefrontOf(t, [page, cart]);
  t.is((await storefront.createCart()).cart.id, 'cart_1');
  t.is(new Set(keys).size, 1);
});

test('a response whose reason phrase a proxy has translated is a response', async (t) => {
  const translated: Reply = (response) => response.writeHead(201, 'Cr\u00e9\u00e9').end('{"cart":{"id":"cart_1"}}');
  const { storefront, keys } = await storefrontOf(t, [translated]);
  t.is((await storefront.createCart()).cart.id, 'cart_1');
  t.is(keys.length, 1);
});

test('an idempotency key of the caller is the one that is sent', async (t) => {
  const { storefront, keys } = await storefrontOf(t, [drop, cart]);
  await storefront.createCart({}, { idempotencyKey: 'mine' });
  t.deepEqual(keys, ['mine', 'mine']);
});

test('a request that may not arrive twice is not repeated after its response was lost', async (t) => {
  const { storefront, keys } = await storefrontOf(t, [drop]);
  const error = await errorOf(storefront.createLead({ email: 'ada@example.com' }));
  t.like(error, { name: 'ApiError', code: 'connection_failed', status: 0, requestId: undefined });
  t.truthy(error.cause);
  t.is(keys.length, 1);
});

test('a rejected request is repeated after Retry-After', async (t) => {
  for (const [status, code] of [
    [429, 'rate_limited'],
    [503, 'service_unavailable'],
    [409, 'idempotency_in_progress'],
  ] as const) {
    const { storefront, keys } = await storefrontOf(t, [failure(status, code, { 'retry-after': '1' }), cart]);
    const startedAt = performance.now();
    t.is((await storefront.createCart()).cart.id, 'cart_1', code);
    t.true(performance.now() - startedAt >= 990, code);
    t.is(new Set(keys).size, 1, code);
  }
});

test('a request is repeated a limited number of times', async (t) => {
  const busy = failure(503, 'service_unavailable', { 'retry-after': '0' });
  const { storefront, keys } = await storefrontOf(t, [busy]);
  t.like(await errorOf(storefront.createCart()), { code: 'service_unavailable', requestId: 'req_1', retryAfter: 0 });
  t.is(keys.length, 4);
  const never = await storefrontOf(t, [busy], { retries: 0 });
  await errorOf(never.storefront.createCart());
  t.is(never.keys.length, 1);
});

test('the outcome of an attempt that is still in progress is waited for, however often it takes', async (t) => {
  const inProgress = failure(409, 'idempotency_in_progress', { 'retry-after': '0' });
  const { storefront, keys } = await storefrontOf(t, [drop, ...Array.from({ length: 8 }, () => inProgress), cart]);
  t.is((await storefront.createCart()).cart.id, 'cart_1');
  t.is(keys.length, 10);
  t.is(new Set(keys).size, 1);
});

test('a Retry-After that is too long to wait for is returned in the error', async (t) => {
  const { storefront, keys } = await storefrontOf(t, [failure(429, 'rate_limited', { 'retry-after': '3600' })]);
  t.like(await errorOf(storefront.createCart()), { code: 'rate_limited', status: 429, retryAfter: 3600 });
  t.is(keys.length, 1);
});

test('an error that the service does not ask to repeat is final', async (t) => {
  const { storefront, keys } = await storefrontOf(t, [failure(503, 'payment_provider_not_configured')]);
  t.like(await errorOf(storefront.createCart()), { code: 'payment_provider_not_configured' });
  t.is(keys.length, 1);
});

test('a response that is not JSON is an error of its own', async (t) => {
  const page: Reply = (response) =>
    response.writeHead(200, { 'content-type': 'text/html', 'x-request-id': 'req_2' }).end('<h1>Welcome');
  const empty: Reply = (response) => response.writeHead(200, { 'content-length': '0' }).end();
  const nothing: Reply = (response) => response.writeHead(200).end();
  const { storefront } = await storefrontOf(t, [page, empty, nothing, proxyError], { retries: 0 });
  t.like(await errorOf(storefront.createCart()), { code: 'unexpected_response', status: 200, requestId: 'req_2' });
  t.like(await errorOf(storefront.createCart()), { code: 'unexpected_response', status: 200 });
  t.like(await errorOf(storefront.createCart()), { code: 'unexpected_response', status: 200 });
  t.like(await errorOf(storefront.createCart()), { code: 'unexpected_response', status: 502 });
});

test('a request that would lose its method, body or key in a redirect is reported, and a write is not sent on', async (t) => {
  const list: Reply = (response) => response.end('{"reviews":[],"cursor":null}');
  const service: Reply = (response, request) => {
    const isAllowed = request.headers.authorization || request.url?.includes('/reviews');
    return (isAllowed ? list : failure(401, 'missing_key'))(response, request);
  };
  const { baseUrl, keys: arrived } = await storefrontOf(t, [service]);
  const statuses = [301, 302, 303, 307, 308];
  for (const status of statuses) {
    const elsewhere: Reply = (response, { url }) => response.writeHead(status, { location: `${baseUrl}${url}` }).end();
    const { storefront, keys } = await storefrontOf(t, [elsewhere], { secretKey: 'sk_test_key' });
    for (const request of [storefront.createProductReview('oak-bowl', { rating: 5 }), storefront.listProducts()]) {
      const error = await errorOf(request);
      t.is(error.code, 'unexpected_response');
      t.true(error.detail.includes(baseUrl), error.detail);
    }
    t.is(keys.length, 2);
    t.deepEqual((await storefront.listProductReviews('oak-bowl')).reviews, []);
  }
  t.is(arrived.length, 2 * statuses.length, 'reads only');
});

test('a 429 is repeated later whether or not its Retry-After can be read', async (t) => {
  for (const retryAfter of [undefined, '-1', 'soon', '']) {
    const limited = failure(429, 'rate_limited', retryAfter === undefined ? {} : { 'retry-after': retryAfter });
    const { storefront, keys } = await storefrontOf(t, [limited, cart]);
    const startedAt = performance.now();
    t.is((await storefront.createCart()).cart.id, 'cart_1', retryAfter);
    t.true(performance.now() - startedAt >= 240, retryAfter);
    t.is(keys.length, 2);
  }
  const limited = failure(429, 'rate_limited', { 'retry-after': '1.5' });
  const { storefront } = await storefrontOf(t, [limited], { retryWithinMs: 1000 });
  t.like(await errorOf(storefront.createCart()), { code: 'rate_limited', retryAfter: 2 });
});

test('an attempt may take without end', async (t) => {
  const { storefront } = await storefrontOf(t, [cart], { timeoutMs: Number.POSITIVE_INFINITY });
  t.is((await storefront.createCart()).cart.id, 'cart_1');
});

test('a parameter that would make the path that of another operation is rejected before a request', async (t) => {
  const { storefront, keys } = await storefrontOf(t, [cart]);
  for (const slug of ['', '.', '..', '\ud800', undefined as unknown as string]) {
    t.like(await errorOf(storefront.getProduct(slug)), { name: 'ApiError', code: 'invalid_argument', status: 0 }, slug);
    const request = storefront.http.GET('/api/v1/products/{slug}', { params: { path: { slug } } });
    t.like(await errorOf(request), { code: 'invalid_argument' }, slug);
  }
  t.is(keys.length, 0);
  await storefront.getProduct('...');
  t.is(keys.length, 1);
});

test('what scripts without types give as a query is sent, and not left out', async (t) => {
  const urls: string[] = [];
  const fetch: typeof globalThis.fetch = async (request) => {
    urls.push((request as Request).url);
    return Response.json({ orders: [], cursor: null });
  };
  const { http } = createAdmin({ baseUrl: 'https://api.example', secretKey: 'sk_1', fetch });
  const query = {
    updated_since: new Date('2026-11-20T12:00:00+01:00'),
    from: new Date(Number.NaN),
    to: { day: 1 },
    q: 'a & b+c \ud83d',
    status: ['paid', 'pending'],
    email: undefined,
    cursor: null,
  };
  await http.GET('/api/v1/admin/orders', { params: { query: query as never } });
  t.deepEqual(Object.fromEntries(new URL(urls[0] ?? '').searchParams), {
    updated_since: '2026-11-20T11:00:00.000Z',
    from: 'null',
    to: '[object Object]',
    q: 'a & b+c \ufffd',
    status: 'paid,pending',
  });
});

test('a client that could send nothing is not created', (t) => {
  for (const wrong of [
    { baseUrl: '' },
    { baseUrl: 'shop.example' },
    { baseUrl: 'http://127.0.0.1/api/v1' },
    { baseUrl: 'http://127.0.0.1/api/v1/' },
    { publishableKey: 'pk_ключ' },
    { tenant: 'магазин' },
  ])
    t.like(
      t.throws(() => createStorefront({ baseUrl: 'http://127.0.0.1', tenant: 'a-store', ...wrong })),
      { name: 'ApiError', code: 'invalid_argument' },
    );
  t.like(
    t.throws(() => createAdmin({ baseUrl: 'http://127.0.0.1', secretKey: 'sk_…' })),
    { code: 'invalid_argument' },
  );
});

test('a page without a cursor is the last one', async (t) => {
  const page: Reply = (response) => response.end('{"products":[{"slug":"oak-bowl"}]}');
  const { storefront, keys } = await storefrontOf(t, [page]);
  const listed: string[] = [];
  for await (const { slug } of storefront.listProducts()) listed.push(slug);
  t.deepEqual(listed, ['oak-bowl']);
  t.is(keys.length, 1);
});

test('waitForOrder waits out a lost connection and a busy service, and ends with another error', async (t) => {
  const paid: Reply = (response) => response.end('{"status":"paid"}');
  const busy = failure(503, 'service_unavailable', { 'retry-after': '0' });
  const limited = failure(429, 'rate_limited', { 'retry-after': '0' });
  const { storefront, keys } = await storefrontOf(t, [busy, limited, drop, paid], { retries: 0 });
  t.like(await waitForOrder(storefront, 'ord_1'), { status: 'paid' });
  t.is(keys.length, 4);

  const unknown = await storefrontOf(t, [failure(404, 'not_found')]);
  t.like(await errorOf(waitForOrder(unknown.storefront, 'ord_1')), { code: 'not_found' });
  t.is(unknown.keys.length, 1);

  const away = await storefrontOf(t, [drop], { retries: 0 });
  t.like(await errorOf(waitForOrder(away.storefront, 'ord_1', { withinMs: 0 })), { code: 'connection_failed' });
});

test('an attempt that takes too long is repeated', async (t) => {
  const slow: Reply = (response) => response.writeHead(201, { 'content-length': '100' }).write('{"cart":');
  const { storefront, keys } = await storefrontOf(t, [hang, slow, cart], { timeoutMs: 300, retries: 100 });
  t.is((await storefront.createCart()).cart.id, 'cart_1');
  t.true(keys.length >= 3);
});

test('an edge runtime without AbortSignal.any and AbortSignal.timeout is enough', async (t) => {
  const module = fileURLToPath(new URL('../../src/client/src/index.ts', import.meta.url));
  const code = `import { createStorefront } from ${JSON.stringify(module)}; globalThis.create = createStorefront;`;
  const globals = { AbortController, clearTimeout, crypto, DOMException, fetch, Headers, performance, Request };
  const context: Record<string, any> = { ...globals, Response, setTimeout, URL, URLSearchParams };
  runInNewContext(await bundle('.', code), context);
  const create = (baseUrl: string, timeoutMs: number) =>
    context['create']({ baseUrl, tenant: 'a-store', timeoutMs, retries: 100 });

  const slow = await storefrontOf(t, [hang, cart]);
  t.is((await create(slow.baseUrl, 300).createCart()).cart.id, 'cart_1');
  t.is(new Set(slow.keys).size, 1);

  const hanging = await storefrontOf(t, [hang]);
  const controller = new AbortController();
  const aborted = create(hanging.baseUrl, 30_000).getCart('cart_1', { signal: controller.signal });
  await until(() => hanging.keys.length === 1);
  controller.abort(new Error('left the page'));
  t.is((await errorOf(aborted)).message, 'left the page');
});

test('an aborted request is rejected with the reason, while it is sent and while it waits', async (t) => {
  const waiting = failure(429, 'rate_limited', { 'retry-after': '20' });
  for (const reply of [hang, waiting]) {
    const { storefront, keys } = await storefrontOf(t, [reply]);
    const controller = new AbortController();
    const reason = new Error('The shopper left.');
    const request = storefront.createCart({}, { signal: controller.signal });
    await until(() => keys.length === 1);
    controller.abort(reason);
    t.is(await errorOf(request), reason as ApiError);
    t.is(keys.length, 1);
    t.is(await errorOf(storefront.getStorefront({ signal: controller.signal })), reason as ApiError);
    t.is(keys.length, 1);
  }
});

test('a request is aborted although memory was collected since it was sent', async (t) => {
  setFlagsFromString('--expose-gc');
  const collectGarbage: () => void = runInNewContext('gc');
  const { storefront, keys } = await storefrontOf(t, [hang], { timeoutMs: 5000, retries: 0 });
  const controller = new AbortController();
  const request = storefront.createCart({}, { signal: controller.signal });
  await until(() => keys.length === 1);
  collectGarbage();
  const reason = new Error('The shopper left.');
  controller.abort(reason);
  t.is(await errorOf(request), reason as ApiError);
});
