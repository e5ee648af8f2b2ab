import anyTest, { type TestFn } from 'ava';

import { pruneRequests } from '#jobs/retention.ts';
import { defineRoute, type Request, toBearer, toDual, toProviders, toPublic } from '#src/api/lib/define-route.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import { read, readOne, transact } from '#src/database/transact.ts';
import { prune } from '#src/domain/backoffice/index.ts';
import { upsertCustomer } from '#src/domain/customers/index.ts';
import { type ClaimedRequest, claimRequest, renewWhile } from '#src/domain/idempotency/index.ts';
import { newKey } from '#src/domain/tenants/api-key.ts';
import { issueKey, listKeys, revokeKey, setModules } from '#src/domain/tenants/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { DomainError, notFound } from '#src/lib/errors.ts';
import { Id, Text, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { type ApiResponse, serveApi, type TestApi } from '#test/support/api.ts';
import { createTestClock } from '#test/support/clock.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';

/* What every request passes before its route, shown on routes of its own. */
const Seen = Type.Object({ tenant: Type.String(), actor: Type.Optional(Type.String()) });
const about = { tag: 'test', summary: 'A route of this test alone.', responses: { 200: Seen } };
const benches = [
  defineRoute({
    ...about,
    operationId: 'test',
    method: 'post',
    path: '/api/v1/benches',
    audience: toDual('orders:write'),
    module: 'reviews',
    bodyBytesMax: 1000,
    body: Type.Object({ name: Text(20) }),
    errors: ['not_found'],
    async handle({ ctx, body }) {
      if (body.name === 'gone') throw notFound('bench');
      return ok({ tenant: ctx.tenant.slug });
    },
  }),
  defineRoute({
    ...about,
    operationId: 'test2',
    method: 'get',
    path: '/api/v1/benches/:id',
    audience: toPublic,
    params: Type.Object({ id: Id('item') }),
    query: Type.Object({ limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })) }),
    handle: async ({ ctx }) => ok({ tenant: ctx.tenant.slug }),
  }),
  defineRoute({
    ...about,
    operationId: 'test3',
    method: 'get',
    path: '/api/v1/owners',
    audience: toBearer('admin:read'),
    handle: async ({ ctx }) => ok({ tenant: ctx.tenant.slug, actor: ctx.actor.id }),
  }),
  defineRoute({
    ...about,
    operationId: 'test4',
    method: 'post',
    path: '/api/webhooks/test/:tenant_slug',
    audience: toProviders,
    rawBody: true,
    handle: async ({ ctx }) => ok({ tenant: ctx.tenant.slug }),
  }),
  defineRoute({
    ...about,
    operationId: 'test5',
    method: 'get',
    path: '/api/v1/fires',
    audience: toPublic,
    async handle() {
      throw new Error('select secret from sk_hush where password = hush');
    },
  }),
];

interface RouteContext extends TestContext {
  api: TestApi;
  /** What the handler of an idempotent route does besides its response. */
  onRun: (request: Request<undefined, undefined, { email: string }>) => Promise<void>;
  runs: (string | undefined)[];
}

const test = anyTest as TestFn<RouteContext>;
useContext(test as unknown as TestFn<TestContext>);

test.beforeEach(async (t) => {
  t.context.runs = [];
  t.context.onRun = async () => undefined;
  const route = (idempotent: 'atomic' | 'resumable') =>
    defineRoute({
      operationId: 'test',
      method: 'post',
      path: `/api/v1/${idempotent}`,
      tag: 'guests',
      summary: 'Write a guest into the book.',
      audience: toDual('cart:write'),
      body: Type.Object({ email: Type.String({ minLength: 3 }) }),
      responses: { 201: Type.Object({ guest: Type.String() }) },
      idempotent,
      errors: ['version_conflict', 'module_disabled', 'payment_provider_unavailable'],
      async handle(request) {
        t.context.runs.push(request.idempotencyId);
        const { id } = await transact(request.ctx, (ctx) => upsertCustomer(ctx, request.body));
        await t.context.onRun(request);
        return created({ guest: id });
      },
    });
  t.context.api = await serveApi(t.context.services, { routes: [...benches, route('atomic'), route('resumable')] });
});
test.afterEach.always((t) => t.context.api.close());

const bench = '/api/v1/benches/item_01m7xfs208fk1sctzyr3afnpz3';
const resultOf = ({ status, body }: ApiResponse) => [status, body.error];

test('a request with several errors is rejected for the first one in the documented order', async (t) => {
  const { api, ctx, tenant } = t.context;
  await transact(ctx, (ctx) => setModules(ctx, { reviews: false }));
  const reader = await buildKey(ctx, ['orders:read']);
  const writer = await buildKey(ctx, ['orders:write']);
  const large = 'x'.repeat(1001);
  const text = { 'content-type': 'text/plain' };
  const json = { 'content-type': 'application/json' };
  const post = (options: Parameters<TestApi['call']>[2]) => api.call('POST', '/api/v1/benches', options);

  const misplaced = await api.call('DELETE', '/api/v1/benches', { key: 'sk_mistyped', body: large, headers: text });
  t.deepEqual(resultOf(misplaced), [405, 'method_not_allowed']);
  t.deepEqual(resultOf(await post({ key: 'sk_mistyped', body: large, headers: text })), [401, 'invalid_key']);
  t.deepEqual(resultOf(await post({ key: reader, body: large, headers: text })), [403, 'insufficient_scope']);
  t.deepEqual(resultOf(await post({ key: writer, body: large, headers: text })), [413, 'payload_too_large']);
  t.deepEqual(resultOf(await post({ key: writer, body: 'name', headers: text })), [415, 'unsupported_media_type']);
  t.deepEqual(resultOf(await post({ key: writer, body: '{"name":', headers: json })), [400, 'invalid_json']);
  t.deepEqual(resultOf(await post({ key: writer, body: { name: 5 } })), [400, 'invalid_request']);
  t.deepEqual(resultOf(await post({ tenant: tenant.slug, body: { name: 'oak' } })), [403, 'module_disabled']);
});

test('a request for a disabled module is rejected before the handler runs', async (t) => {
  const { api, tenant } = t.context;
  t.deepEqual(resultOf(await api.call('POST', '/api/v1/benches', { tenant: tenant.slug, body: { name: 'gone' } })), [
    404,
    'not_found',
  ]);
  const reply = await api.call('POST', '/api/v1/benches', { tenant: tenant.slug, body: { name: 'oak' } });
  t.deepEqual([reply.status, reply.body], [200, { tenant: tenant.slug }]);
});

test('a public route rejects a request without x-tenant-slug, or with an unknown store', async (t) => {
  const { api, tenant } = t.context;
  t.deepEqual(resultOf(await api.call('GET', bench)), [400, 'missing_tenant']);
  t.deepEqual(resultOf(await api.call('GET', bench, { tenant: 'nobody' })), [404, 'unknown_tenant']);
  t.deepEqual((await api.call('GET', bench, { tenant: tenant.slug })).body, { tenant: tenant.slug });
});

test('a bearer route requires a key, and the key alone determines the store', async (t) => {
  const { api, ctx, tenant } = t.context;
  t.deepEqual(resultOf(await api.call('GET', '/api/v1/owners', { tenant: tenant.slug })), [401, 'missing_key']);
  for (const authorization of ['Basic b3BzOm9wcw==', 'Bearer', 'Bearer  ', 'sk_test_x']) {
    t.deepEqual(
      resultOf(await api.call('GET', '/api/v1/owners', { headers: { authorization } })),
      [401, 'missing_key'],
      authorization,
    );
  }
  const key = await buildKey(ctx, ['admin:read']);
  const reply = await api.call('GET', '/api/v1/owners', { key });
  t.is(reply.body.tenant, tenant.slug);
  t.is(reply.body.actor, (await listKeys(ctx)).rows[0]?.id, 'what is done is done by the key');
});

test('a dual route with a key requires its scope, also when the header is sent', async (t) => {
  const { api, ctx, tenant } = t.context;
  const key = await buildKey(ctx, ['products:write']);
  const refused = await api.call('POST', '/api/v1/benches', { key, tenant: tenant.slug, body: { name: 'oak' } });
  t.deepEqual(resultOf(refused), [403, 'insufficient_scope']);
  t.is(refused.body.required_scope, 'orders:write');
  t.is((await api.call('POST', '/api/v1/benches', { tenant: tenant.slug, body: { name: 'oak' } })).status, 200);
});

test('a dual route rejects a key and a header of different stores; a bearer route ignores the header', async (t) => {
  const { api, ctx, services, tenant } = t.context;
  const other = await buildTenant(services);
  const key = await buildKey(ctx, ['admin:read', 'orders:write']);
  const both = { key, tenant: other.slug };
  t.deepEqual(resultOf(await api.call('POST', '/api/v1/benches', { ...both, body: { name: 'oak' } })), [
    400,
    'invalid_request',
  ]);
  t.is((await api.call('GET', '/api/v1/owners', both)).body.tenant, tenant.slug);
  t.is((await api.call('GET', '/api/v1/owners', { key, tenant: tenant.slug })).status, 200);
});

test('a missing, unknown, revoked, expired or foreign key each gets its own error code', async (t) => {
  const { api, ctx } = t.context;
  const owners = async (key: string) => resultOf(await api.call('GET', '/api/v1/owners', { key }));
  t.deepEqual(await owners(newKey('secret', 'test')), [401, 'invalid_key']);
  t.deepEqual(await owners(newKey('secret', 'live')), [401, 'wrong_environment']);
  t.deepEqual(await owners('eyJhbGciOiJIUzI1NiJ9.e30.x'), [401, 'invalid_key']);

  const issue = (name: string, expiresAt: Date | null, issuedAt = ctx.clock.now()) =>
    transact({ ...ctx, clock: { ...ctx.clock, now: () => issuedAt } }, (ctx) =>
      issueKey(ctx, { name, kind: 'secret', scopes: ['admin:read'], expiresAt }),
    );
  t.deepEqual(await owners((await issue('old', new Date(1), new Date(0))).value), [401, 'expired_key']);
  const { key, value } = await issue('revoked', null);
  await transact(ctx, (ctx) => revokeKey(ctx, key));
  t.deepEqual(await owners(value), [401, 'revoked_key']);
});

test('an unknown path gets 404, and an unsupported method gets 405 with the supported ones in Allow', async (t) => {
  const { api } = t.context;
  t.deepEqual(resultOf(await api.call('GET', '/api/v1/nothing')), [404, 'not_found']);
  t.deepEqual(resultOf(await api.call('GET', '/')), [404, 'not_found']);
  const refused = await api.call('PATCH', bench);
  t.deepEqual(resultOf(refused), [405, 'method_not_allowed']);
  t.deepEqual(refused.headers.get('allow')?.split(', ').toSorted(), ['GET', 'HEAD', 'OPTIONS']);
});

test('a malformed id in a path gets 404, and a malformed query 400', async (t) => {
  const { api, tenant } = t.context;
  for (const id of ['ord_01m7xfs208fk1sctzyr3afnpz3', 'item_1', 'item_01M7XFS208FK1SCTZYR3AFNPZ3', '%00', "'--"]) {
    t.deepEqual(
      resultOf(await api.call('GET', `/api/v1/benches/${id}`, { tenant: tenant.slug })),
      [404, 'not_found'],
      id,
    );
  }
  const refused = await api.call('GET', `${bench}?limit=1000`, { tenant: tenant.slug });
  t.deepEqual(resultOf(refused), [400, 'invalid_request']);
  t.is(refused.body.errors[0].path, '/limit');
  const repeated = await api.call('GET', `${bench}?limit=3&limit=4`, { tenant: tenant.slug });
  t.deepEqual(resultOf(repeated), [400, 'invalid_request']);
  t.is(repeated.body.detail, 'limit must be given once.');
});

test('a body that does not match its schema is rejected with the path of every issue', async (t) => {
  const { api, tenant } = t.context;
  const refused = await api.call('POST', '/api/v1/benches', { tenant: tenant.slug, body: {} });
  t.deepEqual(resultOf(refused), [400, 'invalid_request']);
  t.deepEqual(refused.body.errors, [{ path: '/name', code: 'required', detail: 'is required' }]);
  const wider = await api.call('POST', '/api/v1/benches', {
    tenant: tenant.slug,
    body: { name: 'oak', colour: 'red' },
  });
  t.is(wider.status, 200, 'unknown fields are ignored');
});

test('a body requires a JSON content type, with any suffix and parameters; an empty one requires none', async (t) => {
  const { api, tenant } = t.context;
  const empty = await api.call('POST', '/api/v1/benches', { tenant: tenant.slug });
  t.deepEqual(
    empty.body.errors.map(({ path }: { path: string }) => path),
    ['/name'],
    'no body is an empty object',
  );
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/vnd.shop+json']) {
    const headers = { 'content-type': type };
    const reply = await api.call('POST', '/api/v1/benches', { tenant: tenant.slug, body: '{"name":"oak"}', headers });
    t.is(reply.status, 200, type);
  }
});

test('a body of unknown length is rejected once it exceeds the limit', async (t) => {
  const { api, tenant } = t.context;
  const response = await fetch(`${api.url}/api/v1/benches`, {
    operationId: 'test6',
    method: 'POST',
    duplex: 'half',
    headers: { 'x-tenant-slug': tenant.slug, 'content-type': 'application/json' },
    body: new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(600));
      },
    }),
  } as RequestInit);
  t.is(response.status, 413);
});

test("a provider's webhook names its store in the path", async (t) => {
  const { api, tenant } = t.context;
  t.is((await api.call('POST', `/api/webhooks/test/${tenant.slug}`, { body: 'raw' })).body.tenant, tenant.slug);
  t.deepEqual(resultOf(await api.call('POST', '/api/webhooks/test/nobody', { body: 'raw' })), [404, 'unknown_tenant']);
});

test('an unexpected error returns 500 and reveals nothing', async (t) => {
  const { api, tenant } = t.context;
  const { status, headers, body } = await api.call('GET', '/api/v1/fires', { tenant: tenant.slug });
  t.is(status, 500);
  t.deepEqual(body, {
    error: 'internal_error',
    detail: 'Internal server error.',
    request_id: headers.get('x-request-id'),
  });
});

test('every error response has the same envelope', async (t) => {
  const { api, ctx, tenant } = t.context;
  const key = await buildKey(ctx, ['products:read']);
  const rejections = await Promise.all([
    api.call('GET', '/api/v1/nothing'),
    api.call('PUT', bench),
    api.call('GET', bench),
    api.call('GET', bench, { tenant: 'nobody' }),
    api.call('GET', '/api/v1/owners'),
    api.call('GET', '/api/v1/owners', { key }),
    api.call('GET', '/api/v1/fires', { tenant: tenant.slug }),
    api.call('POST', '/api/v1/benches', { tenant: tenant.slug, body: 'x'.repeat(2000) }),
    api.call('POST', '/api/v1/benches', { tenant: tenant.slug, body: 'x', headers: { 'content-type': 'text/plain' } }),
    api.call('POST', '/api/v1/benches', { tenant: tenant.slug, body: {} }),
  ]);
  t.deepEqual(
    rejections.map(({ status }) => status),
    [404, 405, 400, 404, 401, 403, 500, 413, 415, 400],
  );
  for (const { headers, body } of rejections) {
    t.is(headers.get('content-type'), 'application/json; charset=utf-8');
    t.is(headers.get('cache-control'), 'no-store');
    t.is(body.request_id, headers.get('x-request-id'));
    t.regex(body.error, /^[a-z_]+$/);
    t.regex(body.detail, /\.$/);
  }
});

test("every response has a request id: the caller's own if it is safe to log, otherwise a new one", async (t) => {
  const { api, tenant } = t.context;
  const idOf = async (given?: string) => {
    const headers: Record<string, string> = given === undefined ? {} : { 'x-request-id': given };
    return (await api.call('GET', bench, { tenant: tenant.slug, headers })).headers.get('x-request-id');
  };
  t.regex((await idOf()) ?? '', /^req_[0-9a-z]{26}$/);
  t.is(await idOf('storefront-42-abc'), 'storefront-42-abc');
  for (const given of ['short', 'x'.repeat(65), 'with space and "quotes"', '<script>alert(1)</script>'])
    t.not(await idOf(given), given);
});

test('a preflight request without a store allows any origin', async (t) => {
  const { api } = t.context;
  const { status, headers, body } = await api.call('OPTIONS', '/api/v1/benches', {
    headers: {
      origin: 'https://shop.cedar.example',
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'x-tenant-slug',
    },
  });
  t.is(status, 204);
  t.is(body, '');
  t.is(headers.get('access-control-allow-origin'), 'https://shop.cedar.example');
  t.regex(headers.get('access-control-allow-methods') ?? '', /POST/);
  const allowed = headers.get('access-control-allow-headers')?.split(', ') ?? [];
  const needed = ['authorization', 'content-type', 'x-tenant-slug', 'idempotency-key', 'if-none-match'];
  t.deepEqual(
    needed.filter((name) => !allowed.includes(name)),
    [],
  );
  t.deepEqual(resultOf(await api.call('OPTIONS', '/api/v1/nothing')), [404, 'not_found']);
});

test('a request without a tenant gets a message that says how to name it', async (t) => {
  const { api, ctx } = t.context;
  const key = await buildKey(ctx, ['orders:write']);
  const detail = "Send the store's slug in the x-tenant-slug header";
  const path = '/api/v1/benches/item_01m7xfs208fk1sctzyr3afnpz3';
  t.like(await api.call('GET', path), { status: 400, body: { error: 'missing_tenant', detail: `${detail}.` } });
  t.like(await api.call('GET', path, { key }), {
    status: 400,
    body: { error: 'missing_tenant', detail: `${detail}: this operation takes no key.` },
  });
  const malformed = await api.call('GET', '/api/v1/benches/nothing', { tenant: ctx.tenant.slug });
  t.like(malformed, { status: 404, body: { detail: 'Not found: this is not a valid id.' } });
});

test("a store that lists its origins also allows those of a developer's machine in the test environment", async (t) => {
  const { api, services } = t.context;
  const { slug } = await buildTenant(services, { allowedOrigins: ['https://shop.cedar.example'] });
  for (const origin of ['http://localhost:5173', 'http://127.0.0.1:8080']) {
    const { status, headers } = await api.call('POST', '/api/v1/benches', {
      tenant: slug,
      headers: { origin },
      body: { name: 'oak' },
    });
    t.not(status, 403, origin);
    t.is(headers.get('access-control-allow-origin'), origin);
  }
  for (const origin of ['http://localhost.evil.example', 'null']) {
    const { status } = await api.call('POST', '/api/v1/benches', {
      tenant: slug,
      headers: { origin },
      body: { name: 'oak' },
    });
    t.is(status, 403, origin);
  }
});

test('a store that allows all origins accepts requests from any origin', async (t) => {
  const { api, tenant } = t.context;
  const { status, headers } = await api.call('GET', bench, {
    tenant: tenant.slug,
    headers: { origin: 'https://anywhere.example' },
  });
  t.is(status, 200);
  t.is(headers.get('access-control-allow-origin'), 'https://anywhere.example');
  t.regex(headers.get('vary') ?? '', /Origin/);
  const exposed = headers.get('access-control-expose-headers')?.split(', ') ?? [];
  for (const name of ['etag', 'retry-after', 'x-request-id', 'idempotent-replayed'])
    t.true(exposed.includes(name), name);
});

test('a store with allowed origins rejects others with a readable error', async (t) => {
  const { api, services } = t.context;
  const { slug } = await buildTenant(services, { allowedOrigins: ['https://shop.cedar.example'] });
  const from = (origin: string) => api.call('GET', bench, { tenant: slug, headers: { origin } });
  t.is((await from('https://shop.cedar.example')).status, 200);
  t.is((await from(new URL(services.config.settings.publicUrl).origin)).status, 200, 'a page of this service');
  for (const origin of [
    'https://evil.example',
    'http://shop.cedar.example',
    'https://shop.cedar.example.evil.example',
    'null',
  ]) {
    const refused = await from(origin);
    t.deepEqual(resultOf(refused), [403, 'origin_not_allowed'], origin);
    t.is(refused.headers.get('access-control-allow-origin'), origin);
  }
  t.is((await api.call('GET', bench, { tenant: slug })).status, 200, 'a server sends no origin');
});

test("in live mode neither a developer's machine nor a page of this service is among a store's origins", async (t) => {
  const { services } = t.context;
  const { slug } = await buildTenant(services, { allowedOrigins: ['https://shop.cedar.example'] });
  const settings = { ...services.config.settings, appMode: 'live', localMode: false } as const;
  const api = await serveApi({ ...services, config: { ...services.config, settings } }, { routes: benches });
  t.teardown(api.close);
  for (const origin of ['http://localhost:5173', new URL(settings.publicUrl).origin]) {
    const refused = await api.call('GET', bench, { tenant: slug, headers: { origin } });
    t.deepEqual(resultOf(refused), [403, 'origin_not_allowed'], origin);
  }
});

test('an error that occurs before the store is known has CORS headers, so that a page can read it', async (t) => {
  const refused = await t.context.api.call('GET', bench, { headers: { origin: 'https://shop.cedar.example' } });
  t.deepEqual(resultOf(refused), [400, 'missing_tenant']);
  t.is(refused.headers.get('access-control-allow-origin'), 'https://shop.cedar.example');
});

const send = (
  { api, tenant }: RouteContext,
  mode: string,
  key: string,
  email = 'ada@example.com',
  authorization?: string,
) =>
  api.call('POST', `/api/v1/${mode}`, {
    tenant: tenant.slug,
    body: { email },
    headers: { 'idempotency-key': key },
    ...(authorization && { key: authorization }),
  });

const guestsOf = async ({ ctx }: RouteContext) =>
  (await read<{ email: string }>(ctx, sql`select email from customers where tenant_id = ${ctx.tenant.id}`)).map(
    ({ email }) => email,
  );

for (const mode of ['atomic', 'resumable']) {
  test(`${mode}: a repeated request gets the same response, byte for byte, and does not run again`, async (t) => {
    const first = await send(t.context, mode, 'one');
    const second = await send(t.context, mode, 'one');
    t.is(first.status, 201);
    t.is(second.status, 201);
    t.deepEqual(second.body, first.body);
    t.is(first.headers.get('idempotent-replayed'), null);
    t.is(second.headers.get('idempotent-replayed'), 'true');
    t.is(second.headers.get('content-type'), first.headers.get('content-type'));
    t.is(second.headers.get('cache-control'), 'no-store');
    t.is(t.context.runs.length, 1);
  });

  test(`${mode}: of many concurrent requests one runs, and the others get 409 with Retry-After`, async (t) => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    t.context.onRun = () => gate;
    const refused: Awaited<ReturnType<typeof send>>[] = [];
    const statuses = Promise.all(
      Array.from({ length: 8 }, async () => {
        const response = await send(t.context, mode, 'race');
        if (response.status === 409) refused.push(response);
        return response.status;
      }),
    );
    await until(() => refused.length === 7);
    open();
    t.deepEqual((await statuses).toSorted(), [201, ...Array.from({ length: 7 }, () => 409)]);
    for (const { body, headers } of refused) {
      t.is(body.error, 'idempotency_in_progress');
      t.is(headers.get('retry-after'), '1');
    }
    t.is(t.context.runs.length, 1);
    t.is((await send(t.context, mode, 'race')).headers.get('idempotent-replayed'), 'true');
  });

  test(`${mode}: a key with a different body is rejected`, async (t) => {
    await send(t.context, mode, 'one');
    const other = await send(t.context, mode, 'one', 'grace@example.com');
    t.is(other.status, 422);
    t.is(other.body.error, 'idempotency_key_reused');
    t.is(t.context.runs.length, 1);
  });

  test(`${mode}: a repeated request may be written differently and is the same`, async (t) => {
    const { api, tenant } = t.context;
    const post = (path: string, body: string) =>
      api.call('POST', path, {
        tenant: tenant.slug,
        body,
        headers: { 'idempotency-key': 'one', 'content-type': 'application/json' },
      });
    const path = `/api/v1/${mode}`;
    await post(path, '{"email":"ada@example.com","note":{"a":1,"b":[1,2]}}');
    const same = [
      [path, '{ "note": {"b": [1, 2.0], "a": 1}, "email": "\\u0061da@example.com" }\n'],
      [`${path}/`, '{"email":"ada@example.com","note":{"a":1,"b":[1,2]}}'],
      [path.toUpperCase(), '{"email":"ada@example.com","note":{"a":1,"b":[1,2]}}'],
    ] as const;
    for (const [spelled, body] of same) {
      const { status, headers } = await post(spelled, body);
      t.deepEqual([status, headers.get('idempotent-replayed')], [201, 'true'], `${spelled} ${body}`);
    }
    for (const note of ['{"a":1,"b":[2,1]}', '{"a":1}', '{"a":"1","b":[1,2]}'])
      t.is((await post(path, `{"email":"ada@example.com","note":${note}}`)).status, 422, note);
    t.is(t.context.runs.length, 1);
  });

  test(`${mode}: an error is stored, and its writes are rolled back`, async (t) => {
    t.context.onRun = async () => {
      if (mode === 'atomic') throw new DomainError('conflict', 'version_conflict', 'It has changed.');
    };
    const email = mode === 'atomic' ? 'ada@example.com' : '';
    const first = await send(t.context, mode, 'no', email);
    const second = await send(t.context, mode, 'no', email);
    t.deepEqual([first.status, second.status], mode === 'atomic' ? [409, 409] : [400, 400]);
    t.deepEqual(second.body, first.body);
    t.is(second.headers.get('idempotent-replayed'), 'true');
    t.deepEqual(await guestsOf(t.context), []);
  });

  test(`${mode}: an error that may pass is not stored, and the next attempt has the same id`, async (t) => {
    const failures = [
      new DomainError('unavailable', 'payment_provider_unavailable', 'Not now.', { retryAfterSeconds: 3 }),
      new DomainError('forbidden', 'module_disabled', 'Not here.'),
      new Error('broken'),
    ];
    t.context.onRun = async () => {
      const failure = failures.shift();
      if (failure) throw failure;
    };
    const statuses = [];
    for (let tries = 0; tries < 4; tries += 1) statuses.push((await send(t.context, mode, 'later')).status);
    t.deepEqual(statuses, [503, 403, 500, 201]);
    t.is(new Set(t.context.runs).size, 1);
    t.regex(t.context.runs[0] ?? '', /^idem_/);
  });

  test(`${mode}: after a crash the request runs again once its lease has ended, with the same id`, async (t) => {
    let crashed = false;
    t.context.onRun = () =>
      crashed
        ? Promise.resolve()
        : new Promise((_resolve, reject) =>
            setImmediate(() => {
              crashed = true;
              reject(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
            }),
          );
    const { ctx } = t.context;
    t.is((await send(t.context, mode, 'crash')).status, 503);
    // As after a killed process: the lease is still running.
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      update idempotency_keys set leased_until = ${fromNow(ctx.clock, seconds(15))}
      where tenant_id = ${ctx.tenant.id}`),
    );
    t.is((await send(t.context, mode, 'crash')).status, 409);
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      update idempotency_keys set leased_until = ${ctx.clock.now()} where tenant_id = ${ctx.tenant.id}`),
    );
    t.is((await send(t.context, mode, 'crash')).status, 201);
    t.is(t.context.runs.length, 2);
    t.is(t.context.runs[0], t.context.runs[1]);
  });
}

test('renewWhile renews a lease while its request runs, and one that has ended no more', async (t) => {
  const clock = createTestClock();
  const ctx = { ...t.context.ctx, clock };
  const request = { method: 'POST', path: '/', credential: 'key_1', key: 'one', body: Buffer.from('{}') };
  const expiry = async () =>
    (
      await readOne<{ at: Date }>(
        ctx,
        sql`select leased_until as at from idempotency_keys where tenant_id = ${ctx.tenant.id}`,
      )
    )?.at;
  const isRenewed = async () => Number(await expiry()) === clock.now().getTime() + seconds(15);
  const first = await clock.standStill(async () => {
    const claimed = (await claimRequest(ctx, request)) as ClaimedRequest;
    const work = async () => {
      for (let renewal = 0; renewal < 5; renewal += 1) {
        clock.pass(seconds(10));
        await until(isRenewed);
      }
      await t.throwsAsync(claimRequest(ctx, request), { message: /still in progress/ });
    };
    await renewWhile(ctx, claimed, work, 1);
    return claimed;
  });

  clock.pass(seconds(15));
  const ended = await expiry();
  const readOften = async () => {
    for (let times = 0; times < 50; times += 1) await expiry();
  };
  await renewWhile(ctx, first, readOften, 1);
  t.deepEqual(await expiry(), ended);
  t.deepEqual(await claimRequest(ctx, request), { id: first.id, lease: 2 });
});

test('an attempt that lost its lease commits nothing', async (t) => {
  const { ctx } = t.context;
  t.context.onRun = async () => {
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`update idempotency_keys set lease = lease + 1 where tenant_id = ${ctx.tenant.id}`),
    );
  };
  const late = await send(t.context, 'atomic', 'late');
  t.is(late.status, 409);
  t.is(late.body.error, 'idempotency_in_progress');
  t.deepEqual(await guestsOf(t.context), []);
});

test('an Idempotency-Key is separate for each path, credential and store', async (t) => {
  const key = await buildKey(t.context.ctx, ['cart:write']);
  await send(t.context, 'atomic', 'same');
  await send(t.context, 'resumable', 'same');
  await send(t.context, 'atomic', 'same', undefined, key);
  t.is(t.context.runs.length, 3);
  t.is(new Set(t.context.runs).size, 3);
});

test('an Idempotency-Key over 255 characters, of blanks or empty is rejected', async (t) => {
  t.is((await send(t.context, 'atomic', 'k'.repeat(255))).status, 201);
  for (const key of ['k'.repeat(256), '', ' '])
    t.like(await send(t.context, 'atomic', key), {
      status: 400,
      body: {
        error: 'invalid_request',
        detail: 'An Idempotency-Key must have 1 to 255 characters. Omit it for none.',
      },
    });
  t.is(t.context.runs.length, 1);
});

test('stored replies cannot be read without the keyring', async (t) => {
  const { ctx } = t.context;
  const { body } = await send(t.context, 'atomic', 'secret');
  const [row] = await read<{ reply: string }>(
    ctx,
    sql`
    select reply_sealed as reply from idempotency_keys where tenant_id = ${ctx.tenant.id}`,
  );
  t.false(Buffer.from(row?.reply.split(':')[1] ?? '', 'base64').includes(body.guest));
  t.false(row?.reply.includes(body.guest));
});

test.serial('an Idempotency-Key expires after a day, and pruneRequests removes its row', async (t) => {
  const { ctx, clock, services } = t.context;
  await send(t.context, 'atomic', 'daily');
  await send(t.context, 'atomic', 'other');
  clock.pass(hours(24) - minutes(1));
  t.is((await send(t.context, 'atomic', 'daily')).headers.get('idempotent-replayed'), 'true');
  clock.pass(minutes(2));
  const again = await send(t.context, 'atomic', 'daily', 'grace@example.com');
  t.is(again.status, 201);
  t.is(again.headers.get('idempotent-replayed'), null);
  t.is(new Set(t.context.runs).size, 3);

  const count = async () =>
    (await read(ctx, sql`select id from idempotency_keys where tenant_id = ${ctx.tenant.id}`)).length;
  t.is(await count(), 2);
  await prune(services.context(), pruneRequests);
  await prune(services.context(), pruneRequests);
  t.is(await count(), 1);
});
