import anyTest, { type TestFn } from 'ava';
import { defineRoute, toBearer, toDual, toProviders, toPublic } from '#src/api/lib/define-route.ts';
import { ok } from '#src/api/lib/reply.ts';
import { transact } from '#src/database/transact.ts';
import { newKey } from '#src/domain/tenants/api-key.ts';
import { issueKey, listKeys, revokeKey, setModules } from '#src/domain/tenants/index.ts';
import { notFound } from '#src/lib/errors.ts';
import { Id, Text, Type } from '#src/lib/schema.ts';
import { type ApiResponse, serveApi, type TestApi } from '#test/support/api.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

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

const test = anyTest as TestFn<ApiContext>;
useApi(test, { routes: benches });

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
