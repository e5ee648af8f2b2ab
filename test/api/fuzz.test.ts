import { randomInt } from 'node:crypto';
import anyTest, { type TestFn } from 'ava';
import type { Route } from '#src/api/lib/define-route.ts';
import { meaningOf } from '#src/api/lib/error-codes.ts';
import { prefersPage } from '#src/api/lib/reply.ts';
import { routes } from '#src/api/routes.ts';
import type { Context } from '#src/domain/context.ts';
import { publishableScopes, scopes } from '#src/domain/tenants/api-key.ts';
import { minutes } from '#src/lib/duration.ts';
import type { TSchema } from '#src/lib/schema.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildSession } from '#test/support/factories/sessions.ts';
import { buildStockedStore } from '#test/support/factories/store.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { type Nearness, nearValue, strangeTexts } from '#test/support/near-values.ts';
import { type Random, seededRandom } from '#test/support/random.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

/*
 * Every route is sent nearly valid requests. FUZZ_REQUESTS is their number (2,000 in the suite), FUZZ_SEED repeats a
 * run; a failure prints both and what was sent.
 */
const count = Number(process.env['FUZZ_REQUESTS'] ?? 2000);
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));
const atOnce = 8;

const test = anyTest as TestFn<ApiContext>;
useApi(test, { ports: { payments: fakePaymentGateway() }, isRecorded: false });
test.beforeEach((t) => t.timeout(minutes(10) + count * 20));

/** What a fuzzed request is made of. */
interface Store {
  readonly slugs: readonly string[];
  readonly keys: readonly string[];
  /** Of customers who are signed in: some will be signed out. */
  readonly sessions: readonly string[];
  /** Ids, slugs, codes and addresses that exist. */
  readonly known: readonly string[];
}

interface Sent {
  readonly route: Route;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

test('no input to any route causes a 500, and every error has the same envelope', async (t) => {
  const { api, ctx, services } = t.context;
  const other = await buildTenant(services);
  const store: Store = {
    slugs: [ctx.tenant.slug, ctx.tenant.slug, ctx.tenant.slug, other.slug, 'nobody', ''],
    sessions: await signInSeveral(ctx),
    keys: [
      await buildKey(ctx, scopes),
      await buildKey(ctx, publishableScopes, 'publishable'),
      await buildKey({ ...ctx, tenant: other }, scopes),
      'sk_test_wrong',
    ],
    known: [...(await buildStockedStore(ctx)), other.id],
  };
  const random = seededRandom(seed);
  const requests = Array.from({ length: count }, (_, index) =>
    fuzz(random, routes[index % routes.length] as Route, store),
  );
  const statuses = new Map<number, number>();
  const wrong: string[] = [];

  const work = async (): Promise<void> => {
    for (let sent = requests.pop(); sent && wrong.length < 5; sent = requests.pop()) {
      const { route, ...request } = sent;
      const { method, path, headers, body } = request;
      const response = await api.call(method, path, { headers, ...(body !== undefined && { body }) });
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1);
      const complaint = complaintAbout(sent, response);
      if (complaint) wrong.push(`${complaint}: ${JSON.stringify(request).slice(0, 2000)}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));

  if (process.env['FUZZ_REQUESTS']) t.log(Object.fromEntries([...statuses].toSorted()));
  t.deepEqual(wrong, [], `FUZZ_SEED=${seed} FUZZ_REQUESTS=${count}`);
  // A run in which every request is rejected, or none is, proves nothing.
  for (const status of [200, 201, 400, 401, 403, 404, 415])
    t.true((statuses.get(status) ?? 0) > 0, `no ${status} among ${count}`);
});

test('no operator of a search, and no two of them, fail however often they are repeated', async (t) => {
  const { api, ctx } = t.context;
  const key = await buildKey(ctx, scopes);
  const operators = ['-', '"', "'", '\\', ' ', 'a', '!', '&', '|', '(', ':', '<', '*', '%', ' or '];
  const texts = operators.flatMap((one) => operators.map((other) => (one + other).repeat(100).slice(0, 100)));
  const wrong: string[] = [];
  for (const { path, query } of routes) {
    const q = query?.properties['q'] as { maxLength?: number } | undefined;
    for (const text of q ? texts.map((text) => text.slice(0, q.maxLength)) : []) {
      const response = await api.call('GET', `${path}?${new URLSearchParams({ q: text })}`, { key });
      const isBlank = text.trim() === '';
      if (response.status !== 200 && !isBlank) wrong.push(`${response.status} ${path} ${text.slice(0, 8)}`);
    }
  }
  t.deepEqual(wrong, []);
});

async function signInSeveral(ctx: Context): Promise<string[]> {
  const tokens: string[] = [];
  while (tokens.length < 20) tokens.push((await buildSession(ctx)).token);
  return tokens;
}

function complaintAbout(sent: Sent, { status, headers, body }: ApiResponse): string | undefined {
  if (status < 400) return undefined;
  if (status === 500) return '500';
  const getsPage = sent.route.errorPage && prefersPage(sent.headers['accept'] ?? '');
  if (getsPage) return headers.get('content-type')?.startsWith('text/html') ? undefined : `${status} is not a page`;
  if (!headers.get('content-type')?.startsWith('application/json')) return `${status} is not JSON`;
  if (meaningOf(body?.error)?.status !== status) return `${status} says ${body?.error}`;
  // A replayed response is equal byte for byte: it has the request id of the first request.
  const isItsOwn = body.request_id === headers.get('x-request-id') || headers.has('idempotent-replayed');
  if (typeof body.detail !== 'string' || !isItsOwn) return `${status} has no envelope`;
  if (/select |insert |update |node_modules|\.ts:|Error:/.test(JSON.stringify(body))) return `${status} tells too much`;
  return undefined;
}

/** Half of the requests are valid, so that they reach the code behind the checks. */
function fuzz(random: Random, route: Route, store: Store): Sent {
  const near: Nearness = { random, strangeness: random.pick([0, 0, 0.02, 0.15]), known: store.known };
  const text = (schema: TSchema | undefined): string => {
    const value = schema ? nearValue(near, schema) : '';
    return (typeof value === 'string' ? value : JSON.stringify(value)).toWellFormed();
  };
  const path = route.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    if (random.chance(near.strangeness / 5)) return random.pick(['%E0%A4%A', '%00', '..%2F..', '%2e%2e', '']);
    return encodeURIComponent(name === 'tenant_slug' ? random.pick(store.slugs) : text(route.params?.properties[name]));
  });
  const fields = Object.entries(route.query?.properties ?? {})
    .filter(() => random.chance(0.5))
    .map(([name, schema]): [string, string] => [name, text(schema)]);
  if (random.chance(near.strangeness)) {
    const name = random.pick(['__proto__', 'limit', 'cursor', 'tenant', 'x[]']);
    fields.push(...fields.slice(0, 1), [name, random.pick(strangeTexts).toWellFormed()]);
  }
  const query = fields.length > 0 ? `?${new URLSearchParams(fields)}` : '';
  const sendsBody = route.method !== 'get' && !random.chance(near.strangeness);
  return {
    route,
    method: route.method.toUpperCase(),
    path: path + query,
    headers: headersOf(near, route, store),
    body: sendsBody ? bodyOf(near, route) : undefined,
  };
}

function headersOf(
  { random, strangeness }: Nearness,
  { audience, idempotent }: Route,
  { slugs, keys, sessions }: Store,
): Record<string, string> {
  const needsKey = audience.kind === 'bearer' || audience.kind === 'session';
  const session = random.pick(sessions);
  const sound = audience.kind === 'session' ? session : keys[0];
  const isSound = strangeness === 0;
  const tenant = isSound ? slugs[0] : random.pick(slugs);
  const withKey = random.chance(needsKey ? 1 - strangeness : 0.3);
  return {
    ...(tenant && !withKey && { 'x-tenant-slug': tenant }),
    ...(withKey && { authorization: `Bearer ${isSound ? sound : random.pick([sound, session, ...keys])}` }),
    ...(random.chance(strangeness / 2) && { authorization: random.pick(strangeCredentials) }),
    ...(random.chance(0.1) && { 'x-client-ip': random.pick(['203.0.113.7', '::1', 'nonsense', 'a'.repeat(500)]) }),
    ...(random.chance(0.1) && { accept: random.pick(['text/html', '*/*', 'application/xml']) }),
    ...(random.chance(strangeness / 2) && { 'if-none-match': random.pick(['*', '"x"', 'W/"y", "z"', '"']) }),
    ...(idempotent &&
      random.chance(0.3) && { 'idempotency-key': random.pick(['a', 'b', 'c', 'k'.repeat(255), 'k'.repeat(256)]) }),
    'content-type': random.chance(0.03) ? random.pick(strangeTypes) : 'application/json',
  };
}

const strangeCredentials = ['Bearer', 'Basic eA==', 'Bearer eyJhbGciOiJub25lIn0.e30.', 'Bearer  x y'];
const strangeTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/json; charset=utf-16',
  '',
];
const brokenBodies = [
  '',
  '{',
  'null',
  '[]',
  '"text"',
  '1',
  'true',
  '\ufeff{}',
  '{"a":1}{"b":2}',
  '{"a":"\\ud800"}',
  '{"a":"\\u0000"}',
  '['.repeat(5000),
  `${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`,
];

function bodyOf(near: Nearness, route: Route): string {
  const { random, strangeness, known } = near;
  if (random.chance(strangeness / 3)) return random.pick(brokenBodies);
  if (random.chance(strangeness / 10)) return JSON.stringify({ padding: 'x'.repeat(route.bodyBytesMax) });
  return JSON.stringify(
    route.body ? nearValue(near, route.body) : { event: 'track_updated', data: { id: random.pick(known) } },
  );
}
