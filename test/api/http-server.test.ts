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
import { until } from '#test/support/until.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

/* What a client gets whose bytes never become a request: the envelope of every other error. */
const test = anyTest as TestFn<ApiContext>;
useApi(test);

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
    t.is(await connectionsOf(server), 0);
  }
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
