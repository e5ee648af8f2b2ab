import { once } from 'node:events';
import type { RequestListener, Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import anyTest, { type TestFn } from 'ava';

import type { HttpError } from '#src/api/lib/http-error.ts';
import { createHttpServer } from '#src/api/lib/http-server.ts';
import { readBytes } from '#src/api/lib/read-request.ts';
import { listLeads } from '#src/domain/leads/index.ts';
import { serveApi, type TestApi } from '#test/support/api.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildStockedStore } from '#test/support/factories/store.ts';
import { fakeShippingByStore } from '#test/support/fakes/shipping-gateway.ts';
import { only } from '#test/support/only.ts';
import { until } from '#test/support/until.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

/*
 * What a client gets whose bytes never become a request: the envelope of every other error; and which values no
 * request may have.
 */
const test = anyTest as TestFn<ApiContext>;
const shipping = fakeShippingByStore();
useApi(test, { ports: { shipping: shipping.gateway }, environment: { TRUSTED_PROXY_HOPS: '1' } });

interface RawResponse {
  readonly statusLine: string;
  readonly head: string;
  readonly body: { readonly error: string; readonly detail: string; readonly request_id: string };
}

/** Send these bytes, and read until the server ends the connection. */
async function exchange(port: number, bytes: string): Promise<RawResponse> {
  const socket = connect(port, '127.0.0.1');
  socket.write(bytes);
  const [head = '', ...body] = (await text(socket)).split('\r\n\r\n');
  const [statusLine = ''] = head.split('\r\n');
  return { statusLine, head, body: JSON.parse(body.join('\r\n\r\n')) };
}

const lines = (...given: string[]) => [...given, '', ''].join('\r\n');
const host = 'Host: localhost';
const chunked = 'Transfer-Encoding: chunked';
const json = 'Content-Type: application/json';

const cases: [circumstance: string, bytes: string, status: string, error: string][] = [
  ['headers over 16 KB', lines('GET / HTTP/1.1', host, `x-long: ${'x'.repeat(20_000)}`), '431', 'headers_too_large'],
  ['a URL over 16 KB', lines(`GET /${'x'.repeat(20_000)} HTTP/1.1`, host), '431', 'headers_too_large'],
  ['an unknown expectation', lines('GET / HTTP/1.1', host, 'Expect: miracles'), '417', 'expectation_failed'],
  ['no Host header', lines('GET / HTTP/1.1', 'Connection: close'), '400', 'invalid_request'],
  ['no HTTP', lines('hello'), '400', 'invalid_request'],
  ['an unknown method', lines('STEAL / HTTP/1.1', host), '400', 'invalid_request'],
  ['an invalid header', lines('GET / HTTP/1.1', host, 'x y: z'), '400', 'invalid_request'],
  ['two lengths', lines('POST / HTTP/1.1', host, 'Content-Length: 1', chunked), '400', 'invalid_request'],
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400', 'invalid_request'],
  ['CONNECT', lines('CONNECT localhost:1 HTTP/1.1', host), '405', 'method_not_allowed'],
  [
    'an invalid chunk',
    `${lines('POST /api/v1/cart HTTP/1.1', host, chunked, json, 'x-tenant-slug: SLUG')}zz\r\n`,
    '400',
    'invalid_request',
  ],
  [
    'large extensions of a chunk',
    `${lines('POST /api/v1/cart HTTP/1.1', host, chunked, json, 'x-tenant-slug: SLUG')}2;${'x'.repeat(20_000)}\r\n{}\r\n`,
    '413',
    'payload_too_large',
  ],
];

for (const [circumstance, bytes, status, error] of cases) {
  test(`a request with ${circumstance} gets ${status} with the error envelope`, async (t) => {
    const { api, tenant } = t.context;
    const { statusLine, head, body } = await exchange(
      Number(new URL(api.url).port),
      bytes.replace('SLUG', tenant.slug),
    );
    t.true(statusLine.startsWith(`HTTP/1.1 ${status} `), statusLine);
    t.regex(head, /^content-type: application\/json/im);
    t.regex(head, /^connection: close$/im);
    t.regex(head, /^x-content-type-options: nosniff$/im);
    t.is(body.error, error);
    t.true(body.detail.length > 0);
    t.regex(body.request_id, /^req_/);
    t.true(head.includes(`x-request-id: ${body.request_id}`));
    const series = [...(await t.context.services.metrics.series()).keys()];
    const counted = ['storefront_request_seconds_count', 'route="none"', `status="${status}"`];
    t.true(series.some((name) => counted.every((part) => name.includes(part))));
  });
}

test('a request that does not arrive in time gets 408 with the error envelope', async (t) => {
  const quick = { headersTimeout: 50, requestTimeout: 100, connectionsCheckingInterval: 10 };
  const server = createHttpServer(t.context.services, (request) => request.resume(), quick);
  t.teardown(() => close(server));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  for (const bytes of ['GET / HTTP/1.1\r\n', `${lines('POST / HTTP/1.1', host, 'Content-Length: 5')}{`]) {
    const { statusLine, body } = await exchange(port, bytes);
    t.true(statusLine.startsWith('HTTP/1.1 408 '), statusLine);
    t.is(body.error, 'request_timeout');
  }
});

test('a body that trickles gets 408, and an unread one ends its connection', async (t) => {
  const listeners: readonly [RequestListener, status: number][] = [
    [
      (request, response) =>
        void readBytes(request, 100, { withinMs: 50 }).catch(({ status, headers }: HttpError) =>
          response.writeHead(status, { ...headers, 'content-length': 2 }).end('{}'),
        ),
      408,
    ],
    [(_request, response) => response.end('{}'), 200],
  ];
  for (const [listener, status] of listeners) {
    const server = createHttpServer(t.context.services, listener, { unreadBodyMs: 50 });
    t.teardown(() => close(server));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { statusLine } = await exchange(
      (server.address() as AddressInfo).port,
      `${lines('POST / HTTP/1.1', host, 'Content-Length: 5')}{`,
    );
    t.true(statusLine.startsWith(`HTTP/1.1 ${status} `), statusLine);
  }
});

test('a connection with bodies that arrive unread is kept, and gathers nothing with each request', async (t) => {
  const sockets: Socket[] = [];
  const listener: RequestListener = ({ socket }, response) => {
    sockets.push(socket);
    // The body's end comes after the response, in a piece of its own.
    response.writeHead(200, { 'content-length': 2 }).end('{}');
  };
  const server = createHttpServer(t.context.services, listener, { unreadBodyMs: 60_000 });
  t.teardown(() => close(server));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.teardown(() => client.destroy());
  const gathered: number[] = [];
  for (const _ of [1, 2, 3]) {
    client.write(`${lines('POST / HTTP/1.1', host, 'Content-Length: 5')}12`);
    await once(client, 'data');
    client.write('345');
    await until(() => sockets.at(-1)?.bytesRead === client.bytesWritten);
    gathered.push(sockets.at(-1)?.listenerCount('close') ?? 0);
  }
  t.is(new Set(sockets).size, 1);
  t.is(new Set(gathered).size, 1, gathered.join());
});

test('a client has at most 16 MB of bodies on the way, and takes nothing from another', async (t) => {
  const { api, tenant } = t.context;
  const { port } = new URL(api.url);
  const from = (last: number) => `X-Forwarded-For: 203.0.113.${last}`;
  const head = lines(
    'POST /api/v1/cart/save HTTP/1.1',
    ...[host, json, from(1), `x-tenant-slug: ${tenant.slug}`, `Content-Length: ${256 * 1024}`],
  );
  const begin = () => {
    const socket = connect(Number(port), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket)).resume();
    socket.write(`${head}{`);
    return socket;
  };
  const sockets = new Set<Socket>();
  // A body may take half a minute to arrive: on a busy machine the first are rejected before the last are read.
  const begin64 = () => {
    while (sockets.size < 64) sockets.add(begin());
  };
  const save = async (last: number) => {
    const [name = '', value = ''] = from(last).split(': ');
    const items = [{ product_slug: 'oak-bowl', quantity: 1 }];
    const body = { email: 'ada@example.com', items };
    return (await api.call('POST', '/api/v1/cart/save', { tenant: tenant.slug, headers: { [name]: value }, body }))
      .status;
  };
  await until(async () => {
    begin64();
    return (await save(1)) === 503;
  });
  t.is(await save(2), 200);
  for (const socket of sockets) socket.destroy();
  await until(async () => (await save(1)) === 200);
});

test('a client that leaves after its file was rejected half-way harms nothing', async (t) => {
  const unreadBodyMs = 50;
  for (const leaves of [true, false]) {
    const listener: RequestListener = (request, response) => {
      void (async () => {
        const closed = new Promise((resolve) => request.once('close', resolve));
        for await (const _ of request) break;
        await closed;
        response.writeHead(400, { 'content-length': 2 }).end('{}');
      })();
    };
    const server = createHttpServer(t.context.services, listener, { unreadBodyMs });
    t.teardown(() => close(server));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    const closed = once(client, 'close');
    client.write(`${lines('POST / HTTP/1.1', host, 'Content-Length: 100')}12345`);
    await once(client, 'data');
    if (leaves) client.destroy();
    await closed;
    // What the server does later ends the process, and so fails this test.
    await setTimeout(2 * unreadBodyMs);
    await until(async () => (await connectionsOf(server)) === 0, { what: 'the connection to end' });
  }
  t.pass();
});

const connectionsOf = (server: Server) => promisify(server.getConnections.bind(server))();

test('invalid bytes during a response close the connection without a second response', async (t) => {
  const server = createHttpServer(t.context.services, (_request, response) => response.write('first'));
  t.teardown(() => close(server));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(lines('GET / HTTP/1.1', host));
  await once(socket, 'data');
  socket.write(lines('hello'));
  const rest = await text(socket).catch(() => '');
  t.false(rest.includes('HTTP/1.1 400'));
});

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
}

test('text that PostgreSQL cannot store is rejected anywhere in a body, with its place', async (t) => {
  const { api, ctx, tenant } = t.context;
  const headers = { 'content-type': 'application/json' };
  const post = (path: string, body: string) => api.call('POST', path, { tenant: tenant.slug, body, headers });
  const rejected = (path: string, detail: string) => ({
    status: 400,
    body: { error: 'invalid_request', detail, errors: only({ path, code: 'pattern' }) },
  });
  const reason = 'must not contain a NUL character or half a character.';
  for (const text of ['\\u0000', 'a\\u0000b', '\\ud800', 'x\\uDC00', '\\ude00\\ud83d']) {
    t.like(
      await post('/api/v1/leads', `{"email":"ada@example.com","name":"${text}"}`),
      rejected('/name', `name ${reason}`),
    );
    t.like(
      await post('/api/v1/leads', `{"email":"ada@example.com","metadata":{"a/b":["","${text}"]}}`),
      rejected('/metadata/a~1b/1', `/metadata/a~1b/1 ${reason}`),
    );
    t.like(
      await post('/api/v1/wholesale', `{"email":"ada@example.com","${text}":1}`),
      rejected('', `The body ${reason}`),
    );
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
      { status: 400, body: { error: 'invalid_request', errors: only({ path: '/q' }) } },
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

test('outside local mode every response tells browsers to come back over TLS only', async (t) => {
  const { services, tenant, api } = t.context;
  const settings = { ...services.config.settings, localMode: false };
  const strict = await serveApi({ ...services, config: { ...services.config, settings } });
  t.teardown(strict.close);
  const paths = ['/api/v1/storefront', '/api/v1/cart/none', '/admin', '/docs', '/ops', '/no-such-path'];
  const policies = (of: TestApi) =>
    Promise.all(
      paths.map(async (path) =>
        (await of.call('GET', path, { tenant: tenant.slug })).headers.get('strict-transport-security'),
      ),
    );
  t.deepEqual(
    await policies(strict),
    paths.map(() => 'max-age=31536000'),
  );
  t.deepEqual(
    await policies(api),
    paths.map(() => null),
  );
});

test('no response is read as another type than the one it has, whatever a shopper has written in it', async (t) => {
  const { tenant, api } = t.context;
  const paths = [
    '/api/v1/storefront',
    '/api/v1/cart/none',
    '/api/v1/cart/unsubscribe',
    '/admin',
    '/docs',
    '/ops',
    '/no',
  ];
  for (const path of paths) {
    const { headers } = await api.call('GET', path, { tenant: tenant.slug });
    t.is(headers.get('x-content-type-options'), 'nosniff', path);
  }
});
