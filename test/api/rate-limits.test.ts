import { once } from 'node:events';
import anyTest, { type TestFn } from 'ava';
import { defineRoute, toDual, toPublic } from '#src/api/lib/define-route.ts';
import type { LimitName } from '#src/api/lib/limits.ts';
import { ok } from '#src/api/lib/reply.ts';
import { clientNetworkOf } from '#src/lib/network-of.ts';
import { Type } from '#src/lib/schema.ts';
import { type ApiResponse, serveApi, type TestApi } from '#test/support/api.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';

const test = anyTest as TestFn<TestContext & { api: TestApi }>;
// A tenth of the documented limits: 2 promo previews a minute for a shopper, 600 for a server, 3 a second under a
// ceiling.
useContext(test as unknown as TestFn<TestContext>, {
  environment: { RATE_LIMIT_SCALE: '0.1', TRUSTED_PROXY_HOPS: '1' },
});

const responses = { 200: Type.Object({ ok: Type.Boolean() }) };
const route = (limit: LimitName, audience: typeof toPublic = toDual('cart:write')) =>
  defineRoute({
    operationId: 'test',
    method: 'post',
    path: `/api/v1/${limit}`,
    tag: 'limits',
    summary: 'Count a request.',
    audience,
    limit,
    responses,
    body: Type.Object({ code: Type.Optional(Type.String()) }),
    async handle({ caller }) {
      return ok({ ok: caller.clientIp !== '' });
    },
  });
const routes = [
  route('promo'),
  route('ceiling'),
  { ...route('ceiling'), path: '/api/v1/another' },
  route('owner'),
  route('rates'),
  route('consume', toPublic),
];

test.beforeEach(async (t) => {
  t.context.api = await serveApi(t.context.services, { routes });
});
test.afterEach.always((t) => t.context.api.close());

const greedy = '203.0.113.7';

type StoreContext = TestContext & { api: TestApi };
type Sending = { address?: string; key?: string; tenant?: string; clientIp?: string; body?: unknown };

function request({ api, tenant }: StoreContext, limit: LimitName, options: Sending = {}): Promise<ApiResponse> {
  const { address = '203.0.113.7', key, tenant: slug = tenant.slug, clientIp, body = {} } = options;
  return api.call('POST', `/api/v1/${limit}`, {
    tenant: slug,
    body,
    ...(key && { key }),
    headers: { 'x-forwarded-for': address, ...(clientIp && { 'x-client-ip': clientIp }) },
  });
}

async function statuses(count: number, work: () => Promise<ApiResponse>): Promise<number[]> {
  const found: number[] = [];
  for (let index = 0; index < count; index += 1) found.push((await work()).status);
  return found;
}

test('a request beyond the limit gets 429 with the time to wait in the header and in the body', async (t) => {
  const first = await request(t.context, 'promo');
  t.is(first.status, 200);
  t.is(first.headers.get('ratelimit-limit'), '2');
  t.is(first.headers.get('ratelimit-remaining'), '1');
  t.regex(first.headers.get('ratelimit-reset') ?? '', /^([1-9]|[1-5][0-9]|60)$/);
  await request(t.context, 'promo');

  const refused = await request(t.context, 'promo');
  t.is(refused.status, 429);
  t.is(refused.body.error, 'rate_limited');
  t.is(refused.headers.get('ratelimit-remaining'), '0');
  t.regex(refused.headers.get('retry-after') ?? '', /^[1-9][0-9]?$/);
  t.is(refused.body.retry_after, Number(refused.headers.get('retry-after')));
  t.is(refused.headers.get('cache-control'), 'no-store');
});

test('shoppers, stores and operations are counted separately', async (t) => {
  const other = await buildTenant(t.context.services);
  t.deepEqual(await statuses(3, () => request(t.context, 'promo')), [200, 200, 429]);
  t.is((await request(t.context, 'promo', { address: '203.0.113.8' })).status, 200);
  t.is((await request(t.context, 'promo', { tenant: other.slug })).status, 200);
  t.is((await request(t.context, 'consume')).status, 200);
});

test('concurrent requests are each counted, and each sees a different remainder', async (t) => {
  const { ctx } = t.context;
  const key = await buildKey(ctx, ['cart:write']);
  const responses = await Promise.all(Array.from({ length: 20 }, () => request(t.context, 'promo', { key })));
  const remaining = responses.map(({ headers }) => Number(headers.get('ratelimit-remaining')));
  t.deepEqual(
    remaining.toSorted((left, right) => right - left),
    Array.from({ length: 20 }, (_, index) => 599 - index),
  );

  const shopper = await Promise.all(Array.from({ length: 5 }, () => request(t.context, 'promo')));
  t.deepEqual(shopper.map(({ status }) => status).toSorted(), [200, 200, 429, 429, 429]);
  const allowed = shopper
    .filter(({ status }) => status === 200)
    .map(({ headers }) => headers.get('ratelimit-remaining'));
  t.deepEqual(allowed.toSorted(), ['0', '1']);
});

test('the 2^64 addresses of an IPv6 network count as one client', async (t) => {
  t.is(clientNetworkOf('2001:db8::1'), clientNetworkOf('2001:db8:0:0:ffff::9'));
  t.not(clientNetworkOf('2001:db8::1'), clientNetworkOf('2001:db8:0:1::1'));
  t.is(clientNetworkOf('::ffff:203.0.113.7'), '203.0.113.7');
  t.deepEqual(await statuses(2, () => request(t.context, 'promo', { address: '2001:db8:1:2::1' })), [200, 200]);
  t.is((await request(t.context, 'promo', { address: '2001:db8:1:2:aaaa::1' })).status, 429);
});

test('X-Forwarded-For values that the caller adds do not change the counted client', async (t) => {
  t.deepEqual(await statuses(2, () => request(t.context, 'promo')), [200, 200]);
  t.is((await request(t.context, 'promo', { address: '198.51.100.1, 203.0.113.7' })).status, 429);
  t.is((await request(t.context, 'promo', { clientIp: '198.51.100.1' })).status, 429);
});

for (const [client, ...others] of [
  ['203.0.113.7', '203.0.113.7:443', '203.0.113.7:50123'],
  ['2001:db8:1:2::1', '[2001:db8:1:2::1]', '[2001:db8:1:2::1]:50123', '[2001:db8:1:2::2]:50124'],
  ['127.0.0.1', 'unknown', '_hidden:50123', '[203.0.113.7', '203.0.113.7:', '[]:443', ''],
] as const) {
  test(`a client is counted as ${client} however a proxy appends it to X-Forwarded-For`, async (t) => {
    t.deepEqual(await statuses(2, () => request(t.context, 'promo', { address: client })), [200, 200]);
    for (const address of others) t.is((await request(t.context, 'promo', { address })).status, 429, address);
  });
}

test('a secret key has its own, larger limit, and each shopper in x-client-ip has one', async (t) => {
  const { ctx } = t.context;
  const key = await buildKey(ctx, ['cart:write']);
  const server = await request(t.context, 'promo', { key });
  t.is(server.headers.get('ratelimit-limit'), '600');
  t.is(server.headers.get('ratelimit-remaining'), '599');
  t.deepEqual(await statuses(3, () => request(t.context, 'promo', { key, clientIp: '198.51.100.1' })), [200, 200, 429]);
  t.is((await request(t.context, 'promo', { key, clientIp: '198.51.100.2' })).status, 200);
  t.is((await request(t.context, 'promo', { key })).status, 200);
});

test('a key with its own limit is limited by it over all limited operations, secret or publishable', async (t) => {
  const { ctx } = t.context;
  for (const kind of ['secret', 'publishable'] as const) {
    const key = await buildKey(ctx, ['cart:write'], kind, 40);
    const address = (index: number) => `198.51.100.${index}`;
    t.is((await request(t.context, 'owner', { key, address: address(0) })).headers.get('ratelimit-limit'), '4');
    t.is((await request(t.context, 'promo', { key, address: address(1) })).status, 200);
    t.deepEqual(await statuses(3, () => request(t.context, 'owner', { key })), [200, 200, 429]);
    t.is((await request(t.context, 'promo', { key, address: address(2) })).status, 429, kind);
  }
  const unlimited = await request(t.context, 'owner', { key: await buildKey(ctx, ['cart:write']) });
  t.is(unlimited.headers.get('ratelimit-limit'), null, "the owner's side has no limit by default");
});

test('requests with a publishable key are counted per shopper, and separately from those without a key', async (t) => {
  const key = await buildKey(t.context.ctx, ['cart:write'], 'publishable');
  t.is((await statuses(7, () => request(t.context, 'rates', { key }))).at(-1), 429);
  t.is((await request(t.context, 'rates')).status, 200);
  t.is((await request(t.context, 'rates', { key, address: '203.0.113.8' })).status, 200);
});

test('a shopper who guesses a secret is counted together with each publishable key and without one', async (t) => {
  const key = await buildKey(t.context.ctx, ['cart:write'], 'publishable');
  const other = await buildKey(t.context.ctx, ['cart:write'], 'publishable');
  t.is((await request(t.context, 'promo', { key })).status, 200);
  t.is((await request(t.context, 'promo')).status, 200);
  t.is((await request(t.context, 'promo', { key: other })).status, 429);
  t.is((await request(t.context, 'promo', { key, address: '203.0.113.8' })).status, 200);
});

test("limits for shoppers do not apply to a storefront's server that sends no x-client-ip", async (t) => {
  const key = await buildKey(t.context.ctx, ['cart:write']);
  t.deepEqual(await statuses(2, () => request(t.context, 'consume')), [200, 429]);
  t.deepEqual(await statuses(3, () => request(t.context, 'consume', { key })), [200, 200, 200]);
  t.deepEqual(await statuses(2, () => request(t.context, 'consume', { key, clientIp: '198.51.100.1' })), [200, 429]);
  t.is((await request(t.context, 'consume', { key: key.slice(0, -1) })).status, 429);
  const elsewhere = { ...t.context.ctx, tenant: await buildTenant(t.context.services) };
  t.is((await request(t.context, 'consume', { key: await buildKey(elsewhere, ['cart:write']) })).status, 429);
});

test('checks run in order: scope, then rate, then size, type and schema', async (t) => {
  const key = await buildKey(t.context.ctx, ['cart:read']);
  const big = 'x'.repeat(300 * 1024);
  t.is((await request(t.context, 'promo', { key, body: big })).status, 403);
  t.deepEqual(await statuses(3, () => request(t.context, 'promo', { body: big })), [413, 413, 429]);
});

/** The responses to concurrent requests of these clients until one is rejected: a window may begin meanwhile. */
async function flood(
  store: StoreContext,
  tenant: string,
  addresses: readonly string[],
): Promise<(ApiResponse & { address: string })[]> {
  const responses: (ApiResponse & { address: string })[] = [];
  while (responses.every(({ status }) => status === 200)) {
    const requests = addresses.map(async (address) => ({
      address,
      ...(await request(store, 'ceiling', { tenant, address })),
    }));
    responses.push(...(await Promise.all(requests)));
  }
  return responses;
}

/**
 * The addresses of those of these concurrent requests that were rejected within one second: in the next one a client
 * counts anew while the window of its store, which began later, still holds what it sent before.
 */
async function rejectedWithinASecond(
  store: StoreContext,
  requestsPerSecond: number,
  addresses: readonly string[],
): Promise<Set<string>> {
  return until(async () => {
    const { slug } = await buildTenant(store.services, { requestsPerSecond });
    const startedAt = performance.now();
    const responses = await flood(store, slug, addresses);
    if (performance.now() - startedAt > 900) return undefined;
    return new Set(responses.filter(({ status }) => status === 503).map(({ address }) => address));
  });
}

test("an operation without a limit returns 503 beyond the store's ceiling, its own or the default", async (t) => {
  const { slug } = await buildTenant(t.context.services, { requestsPerSecond: 50 });
  const responses = await flood(
    t.context,
    slug,
    Array.from({ length: 12 }, (_, index) => `198.51.100.${index}`),
  );
  const refused = responses.find(({ status }) => status !== 200);
  t.true(responses.filter(({ status }) => status === 200).length >= 5);
  t.is(refused?.status, 503);
  t.is(refused?.body.error, 'service_unavailable');
  t.is(refused?.headers.get('retry-after'), '1');
  t.is(refused?.body.retry_after, 1);
  t.is(refused?.headers.get('ratelimit-limit'), null);
  const wide = await flood(
    t.context,
    t.context.tenant.slug,
    Array.from({ length: 60 }, (_, index) => `198.51.100.${index}`),
  );
  t.true(wide.filter(({ status }) => status === 200).length >= 50);
});

test('a client gets at most half of a low ceiling', async (t) => {
  const addresses = [...Array.from({ length: 15 }, () => greedy), '198.51.100.1'];
  t.deepEqual(await rejectedWithinASecond(t.context, 20, addresses), new Set([greedy]));
});

test("a client beyond its own ceiling does not count against the store's", async (t) => {
  const addresses = [...Array.from({ length: 40 }, () => greedy), '198.51.100.1', '198.51.100.2'];
  t.deepEqual(await rejectedWithinASecond(t.context, 300, addresses), new Set([greedy]));
});

test('a flood of one operation that is not limited in normal use leaves the others open', async (t) => {
  const { api, tenant } = t.context;
  const other = () =>
    api.call('POST', '/api/v1/another', {
      tenant: tenant.slug,
      body: {},
      headers: { 'x-forwarded-for': '203.0.113.7' },
    });
  const [responses, { status }] = await Promise.all([
    flood(
      t.context,
      tenant.slug,
      Array.from({ length: 12 }, () => '203.0.113.7'),
    ),
    other(),
  ]);
  t.true(responses.some(({ status }) => status === 503));
  t.is(status, 200);
  t.is((await other()).status, 200);
});

test('an invalid request does not count against a ceiling', async (t) => {
  const { slug } = await buildTenant(t.context.services, { requestsPerSecond: 10 });
  const unsound = Array.from({ length: 30 }, () => request(t.context, 'ceiling', { tenant: slug, body: { code: 5 } }));
  t.deepEqual(new Set((await Promise.all(unsound)).map(({ status }) => status)), new Set([400]));
});

test('rate-limited requests are counted in the metrics', async (t) => {
  await statuses(3, () => request(t.context, 'promo'));
  const series = await t.context.services.metrics.series();
  t.is(series.get(`storefront_rate_limited_total{tenant="${t.context.tenant.slug}"}`), 1);
});

test('RateLimit headers are exposed to pages of other origins', async (t) => {
  const { api, tenant } = t.context;
  const response = await api.call('POST', '/api/v1/promo', {
    tenant: tenant.slug,
    body: {},
    headers: { origin: 'https://shop.example' },
  });
  t.true(response.headers.get('access-control-expose-headers')?.includes('ratelimit-remaining'));
});

test.serial('without Redis requests are served, and each process counts by itself', async (t) => {
  const { redis } = t.context.services;
  const ended = once(redis, 'end');
  redis.disconnect();
  await ended;
  t.deepEqual(await statuses(3, () => request(t.context, 'promo')), [200, 200, 429]);
  t.is((await request(t.context, 'promo', { address: '203.0.113.8' })).status, 200);
  await redis.connect();
});
