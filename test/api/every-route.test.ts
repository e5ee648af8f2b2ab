import anyTest, { type TestFn } from 'ava';
import { acceptedScopes, type Route } from '#src/api/lib/define-route.ts';
import { routes } from '#src/api/routes.ts';
import { read, transact } from '#src/database/transact.ts';
import { claimRequest } from '#src/domain/idempotency/index.ts';
import { openAccount } from '#src/domain/payments/index.ts';
import { roleNames } from '#src/domain/staff/index.ts';
import { newKey, scopes } from '#src/domain/tenants/api-key.ts';
import {
  closeStore,
  issueKey,
  markRemoved,
  moduleNames,
  reopenStore,
  revokeKey,
  type Scope,
  setModules,
} from '#src/domain/tenants/index.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import { type TSchema, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { fits, issuesOf } from '#src/lib/validation.ts';
import type { ApiResponse } from '#test/support/api.ts';
import {
  addressOf,
  isForStaff,
  keyTo,
  kinds,
  nameOf,
  resultOf,
  type Sending,
  type StoreContext,
  send,
  sendAsStaff,
  useStore,
  withBody,
} from '#test/support/every-route.ts';
import { buildCart } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildSession } from '#test/support/factories/sessions.ts';
import { buildStaff, buildStaffSession } from '#test/support/factories/staff.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';

/*
 * What holds for every route, generated from what each declares: who may call it, what it reads, the errors that
 * follow, and the same request several times at once.
 */
const test = anyTest as TestFn<StoreContext>;
useStore(test);

/** The scopes of which a route that takes a key requires one. */
const acceptedBy = ({ audience }: Route) => acceptedScopes(audience as Parameters<typeof acceptedScopes>[0]);

test('a key without the scope is rejected with the required scope', async (t) => {
  for (const route of kinds('dual', 'bearer', 'token')) {
    const { scope } = route.audience as { scope: Scope };
    const resources = acceptedBy(route).map((accepted) => accepted.split(':')[0] ?? '');
    const sufficient = [...resources, ...resources.map((resource) => resource.replace(/^admin\..*/, 'admin'))];
    const key = await buildKey(
      t.context.ctx,
      scopes.filter((held) => !sufficient.includes(held.split(':')[0] ?? '')),
    );
    const response = await send(t.context, route, { key, body: undefined });
    t.is(resultOf(response), '403 insufficient_scope', nameOf(route));
    t.is(response.body.required_scope, scope, nameOf(route));
  }
});

test('a key with a read scope is rejected by the routes that write', async (t) => {
  for (const route of kinds('dual', 'bearer', 'token')) {
    const { scope } = route.audience as { scope: Scope };
    if (scope.endsWith(':read')) continue;
    const read = acceptedBy(route).map((accepted) => accepted.replace(':write', ':read') as Scope);
    const key = await buildKey(t.context.ctx, read);
    t.is(resultOf(await send(t.context, route, { key, body: undefined })), '403 insufficient_scope', nameOf(route));
  }
});

test('a route that requires a key rejects a missing and an unknown one', async (t) => {
  const { api, tenant } = t.context;
  for (const route of kinds('bearer')) {
    const response = await api.call(route.method.toUpperCase(), addressOf(route, tenant.slug), { tenant: tenant.slug });
    t.is(resultOf(response), '401 missing_key', nameOf(route));
    t.is(response.headers.get('www-authenticate'), 'Bearer', nameOf(route));
  }
  for (const route of kinds('bearer', 'dual', 'token')) {
    t.is(
      resultOf(await send(t.context, route, { key: 'sk_test_wrong', body: undefined })),
      '401 invalid_key',
      nameOf(route),
    );
  }
});

test('a route for customers requires a session', async (t) => {
  const { api, key, tenant } = t.context;
  for (const route of kinds('session')) {
    const request = (authorization?: string) =>
      api.call(route.method.toUpperCase(), addressOf(route, tenant.slug), {
        tenant: tenant.slug,
        ...(authorization && { key: authorization }),
      });
    for (const authorization of [undefined, key, 'nonsense']) {
      t.is(resultOf(await request(authorization)), '401 invalid_session', nameOf(route));
    }
  }
});

test('a route for staff rejects a missing and an unknown session, a role without the scope, another page and, where it is needed, an unverified session', async (t) => {
  const { ctx, staff } = t.context;
  const analyst = await buildStaffSession(ctx, { role: 'analyst' });
  const unverified = await buildStaffSession(ctx);
  for (const route of kinds('staff', 'bearer').filter(isForStaff)) {
    const result = async (given: Partial<typeof staff>) =>
      resultOf(await sendAsStaff(t.context, route, { ...staff, ...given }));
    t.is(await result({ cookie: 'staff_session=unknown' }), '401 invalid_session', nameOf(route));
    t.is(await result({ origin: 'https://evil.example' }), '403 origin_not_allowed', nameOf(route));
    if (route.audience.kind === 'staff') {
      t.is(resultOf(await sendAsStaff(t.context, route, { ...staff, cookie: '' })), '401 invalid_session');
    } else if ('scope' in route.audience && route.audience.scope.endsWith(':write')) {
      t.is(await result(analyst.headers), '403 insufficient_scope', nameOf(route));
    }
    if (route.verified) t.is(await result(unverified.headers), '403 second_factor_required', nameOf(route));
  }
});

test('with no operation that needs a second factor does a key change an owner or the payment account', async (t) => {
  const { api, ctx } = t.context;
  const key = await buildKey(ctx, ['admin:write']);
  await buildPaymentAccount(ctx);
  const members = [await buildStaff(ctx), await buildStaff(ctx, { role: 'support' })];
  const guarded = async () => ({
    owners: await read(
      ctx,
      sql`
      select * from staff where tenant_id = ${ctx.tenant.id} and role = 'owner' and revoked_at is null order by id`,
    ),
    payments: await openAccount(ctx),
    account: (await api.call('GET', '/api/v1/admin/providers', { key })).body.providers.payments,
  });
  const before = await guarded();
  for (const route of kinds('bearer').filter(({ verified }) => verified)) {
    const example = route.body && (exampleOf(route.body) as object);
    const bodies = example && 'role' in example ? roleNames.map((role) => ({ ...example, role })) : [example];
    const ids = route.path.includes('/staff/:id') ? members.map(({ id }) => ({ id })) : [{}];
    for (const [params, body] of ids.flatMap((id) => bodies.map((body) => [id, body] as const))) {
      const { status } = await send(t.context, route, { key, params, ...(body && { body }) });
      t.true(status < 500 || status === 502, nameOf(route));
      t.deepEqual(await guarded(), before, `${nameOf(route)} ${JSON.stringify(body)}`);
    }
  }
});

test('what reveals a secret, or changes a key, a credential, an endpoint or a member, needs a verified session', (t) => {
  const changesNone = ['admin.testWebhookEndpoint', 'admin.recoverWebhookDeliveries'];
  const guarded = kinds('bearer').filter(
    ({ method, path, operationId, responses }) =>
      /"(secret|received)":/.test(JSON.stringify(responses)) ||
      (method !== 'get' &&
        /\/admin\/(integrations|keys|payments|providers|staff|store|webhook-endpoints)(\/|$)/.test(path) &&
        !changesNone.includes(operationId)),
  );
  t.deepEqual(guarded.filter(({ verified }) => !verified).map(nameOf), []);
});

test('an unknown store gets 404, and a missing one 400', async (t) => {
  for (const route of kinds('public', 'dual', 'token')) {
    t.is(
      resultOf(await send(t.context, route, { tenant: 'nobody', body: undefined })),
      '404 unknown_tenant',
      nameOf(route),
    );
  }
  for (const route of kinds('public', 'dual', 'token')) {
    t.is(resultOf(await send(t.context, route, { tenant: '', body: undefined })), '400 missing_tenant', nameOf(route));
  }
  for (const route of kinds('inbound')) {
    t.is(
      resultOf(await send(t.context, route, { params: { tenant_slug: 'nobody' } })),
      '404 unknown_tenant',
      nameOf(route),
    );
  }
});

test('a key of one store is rejected for another', async (t) => {
  const other = await buildTenant(t.context.services);
  for (const route of kinds('dual')) {
    const response = await send(t.context, route, { tenant: other.slug, key: t.context.key, body: undefined });
    t.is(resultOf(response), '400 invalid_request', nameOf(route));
  }
});

test('an unsupported method gets 405 with the supported ones in Allow', async (t) => {
  const { api, tenant } = t.context;
  for (const route of routes) {
    const address = addressOf(route, tenant.slug);
    const { headers } = await api.call('OPTIONS', address);
    const served = headers.get('access-control-allow-methods')?.split(', ') ?? [];
    t.true(served.includes(route.method.toUpperCase()), nameOf(route));
    const other = ['PUT', 'PATCH', 'DELETE', 'POST', 'GET'].find((method) => !served.includes(method));
    if (!other) continue;
    const response = await api.call(other, address, { tenant: tenant.slug });
    t.is(resultOf(response), '405 method_not_allowed', `${other} ${route.path}`);
    t.true(response.headers.get('allow')?.split(', ').includes(route.method.toUpperCase()), nameOf(route));
    t.is(headers.get('allow'), response.headers.get('allow'), nameOf(route));
  }
});

test('a fixed path segment is never read as the parameter of another route', async (t) => {
  const { api, tenant } = t.context;
  const paths = Map.groupBy(routes, ({ path }) => path);
  const reads = (pattern: string, path: string) =>
    new RegExp(`^${pattern.replaceAll(/:\w+/g, '[^/]+')}$`).test(path) && pattern !== path;
  const fixed = [...paths].flatMap(([path, served]) => {
    const methods = served.map(({ method }) => method.toUpperCase());
    const others = routes.filter((route) => reads(route.path, path)).map(({ method }) => method.toUpperCase());
    return others.filter((other) => !methods.includes(other)).map((other) => ({ route: served[0], methods, other }));
  });
  const listed = ({ headers }: ApiResponse, name: string) =>
    (headers.get(name) ?? '')
      .split(', ')
      .filter((method) => !['HEAD', 'OPTIONS'].includes(method))
      .toSorted();
  t.true(fixed.length > 5);
  for (const { route, methods, other } of fixed) {
    const address = addressOf(route as Route, tenant.slug);
    const response = await api.call(other, address, { tenant: tenant.slug });
    t.is(resultOf(response), '405 method_not_allowed', `${other} ${address}`);
    t.deepEqual(listed(response, 'allow'), methods.toSorted(), address);
    const preflight = await api.call('OPTIONS', address);
    t.deepEqual(listed(preflight, 'access-control-allow-methods'), methods.toSorted(), address);
  }
});

test('every route rejects an invalid body with the path of the issue', async (t) => {
  for (const route of withBody) {
    const required: readonly string[] = (route.body as { required?: string[] }).required ?? [];
    const response = await send(t.context, route, { body: [] });
    t.is(resultOf(response), '400 invalid_request', nameOf(route));
    t.true(response.body.errors.length > 0, nameOf(route));
    if (required.length === 0) continue;
    const empty = await send(t.context, route, { body: {} });
    t.is(resultOf(empty), '400 invalid_request', nameOf(route));
    const places: string[] = empty.body.errors.map(({ path }: { path: string }) => path.slice(1));
    t.true(
      places.some((place) => required.includes(place)),
      `${nameOf(route)} ${places}`,
    );
  }
});

test('a body that is too large, of another type or not JSON is rejected before it is validated', async (t) => {
  for (const route of withBody) {
    const sent = async (body: string, type = 'application/json', more: Record<string, string> = {}) =>
      resultOf(await send(t.context, route, { headers: { 'content-type': type, ...more }, body }));
    t.is(await sent(' '.repeat(route.bodyBytesMax + 1)), '413 payload_too_large', nameOf(route));
    t.is(await sent('<a/>', 'application/xml'), '415 unsupported_media_type', nameOf(route));
    t.is(
      await sent('{}', 'application/json', { 'content-encoding': 'gzip' }),
      '415 unsupported_media_type',
      nameOf(route),
    );
    t.is(await sent('{"a":'), '400 invalid_json', nameOf(route));
    t.is(await sent(`{"a":${'['.repeat(40)}${']'.repeat(40)}}`), '400 invalid_request', nameOf(route));
  }
  for (const route of routes.filter(({ rawBody }) => rawBody)) {
    t.is(
      resultOf(await send(t.context, route, { body: ' '.repeat(route.bodyBytesMax + 1) })),
      '413 payload_too_large',
      nameOf(route),
    );
  }
});

test('a malformed id in a path gets 404', async (t) => {
  for (const route of routes.filter(({ params, audience }) => params && audience.kind !== 'inbound')) {
    const [name = ''] = Object.keys(route.params?.properties ?? {});
    // No store has such entries, which is an empty list.
    const status = route.operationId === 'listEntries' ? 200 : 404;
    t.is((await send(t.context, route, { params: { [name]: '..%00' } })).status, status, nameOf(route));
  }
});

test('a route of a disabled module gets 403', async (t) => {
  await transact(t.context.ctx, (ctx) => setModules(ctx, Object.fromEntries(moduleNames.map((name) => [name, false]))));
  for (const route of routes.filter(({ module }) => module)) {
    // The example of a refresh token is another store's.
    const given = route.path.endsWith('/refresh') ? { body: {} } : {};
    t.is(resultOf(await send(t.context, route, given)), '403 module_disabled', nameOf(route));
  }
});

/** What a closed store serves to others than its staff and providers. */
const servedByClosedStores = [
  'completeIntegrationConsent',
  'downloadExport',
  'getReminderSubscription',
  'receiveIntegrationCall',
  'unsubscribeFromReminders',
];

test.serial('a closed store rejects every request of shoppers and storefronts, and no other', async (t) => {
  const { ctx } = t.context;
  const isForShoppers = ({ audience, path, operationId }: Route) =>
    audience.kind !== 'inbound' && !path.startsWith('/api/v1/admin/') && !servedByClosedStores.includes(operationId);
  const resultsOf = async (isRejected: boolean) => {
    const sent = routes.filter((route) => isForShoppers(route) === isRejected);
    const results = [];
    for (const route of sent) {
      results.push(`${nameOf(route)}: ${resultOf(await send(t.context, route, withoutTokens(route)))}`);
    }
    return results;
  };
  await transact(ctx, closeStore);
  t.context.clock.pass(seconds(2));
  const rejected = await resultsOf(true);
  t.true(rejected.length > 50);
  t.deepEqual(
    rejected.filter((result) => !result.endsWith(': 403 store_closed')),
    [],
  );
  t.deepEqual(
    (await resultsOf(false)).filter((result) => / store_closed$/.test(result)),
    [],
  );
  await transact(ctx, reopenStore);
  t.context.clock.pass(seconds(2));
  t.deepEqual(
    (await resultsOf(true)).filter((result) => / store_closed$/.test(result)),
    [],
  );
});

test.serial('a removed store is unknown to every route, and its keys and sessions do not work', async (t) => {
  const { ctx, tenant } = t.context;
  await transact(ctx, async (ctx) => {
    await closeStore(ctx);
    await markRemoved(ctx, 'ada@desk');
  });
  t.context.clock.pass(seconds(4));
  const expected = (route: Route, given: Sending) => {
    if (given.key || route.audience.kind === 'bearer') return '401 invalid_key';
    return route.audience.kind === 'session' || route.audience.kind === 'staff'
      ? '401 invalid_session'
      : '404 unknown_tenant';
  };
  for (const route of routes) {
    const given = {
      ...withoutTokens(route),
      ...(route.audience.kind === 'inbound' && { params: { tenant_slug: tenant.slug } }),
    };
    t.is(resultOf(await send(t.context, route, given)), expected(route, given), nameOf(route));
  }
  for (const route of kinds('dual', 'token')) {
    const given = { ...withoutTokens(route), key: t.context.key };
    t.is(resultOf(await send(t.context, route, given)), expected(route, given), nameOf(route));
  }
  for (const route of kinds('bearer').filter(isForStaff))
    t.is(resultOf(await sendAsStaff(t.context, route)), '401 invalid_session', nameOf(route));
});

test('HEAD returns the headers of GET without a body', async (t) => {
  for (const route of routes.filter(({ method, audience }) => method === 'get' && audience.kind !== 'inbound')) {
    const fields = Object.entries((route.query ? exampleOf(route.query) : {}) as object);
    const query = `?${new URLSearchParams(fields.map(([name, value]): [string, string] => [name, String(value)]))}`;
    const key = keyTo(route, t.context);
    const credentials = key ? { key } : { tenant: t.context.tenant.slug };
    const request = (method: string) =>
      t.context.api.call(method, addressOf(route, t.context.tenant.slug) + query, credentials);
    const [get, head] = [await request('GET'), await request('HEAD')];
    t.is(head.status, get.status, nameOf(route));
    t.is(head.body, '', nameOf(route));
    for (const name of ['etag', 'cache-control', 'vary', 'content-type']) {
      t.is(head.headers.get(name), get.headers.get(name), `${nameOf(route)} ${name}`);
    }
  }
});

test('every response has a request id, a Cache-Control and CORS headers', async (t) => {
  const origin = 'https://shop.example';
  for (const route of routes.filter(({ audience }) => audience.kind !== 'inbound')) {
    const response = await send(t.context, route, { body: undefined, headers: { origin } });
    t.truthy(response.headers.get('x-request-id'), nameOf(route));
    t.is(response.headers.get('access-control-allow-origin'), origin, nameOf(route));
    t.regex(response.headers.get('vary') ?? '', /Origin/i, nameOf(route));
    const isRevalidated = route.caching === 'revalidate' && response.status < 400;
    const visibility = route.audience.kind === 'bearer' ? 'private' : 'public';
    t.is(
      response.headers.get('cache-control'),
      isRevalidated ? `${visibility}, max-age=0, must-revalidate` : 'no-store',
      nameOf(route),
    );
  }
});

/** The examples of tokens are another store's. */
const withoutTokens = ({ method, body }: Route) => (method !== 'get' && body ? { body: {} } : {});

test.serial('an expired session gets expired_session, not invalid_session', async (t) => {
  t.context.clock.pass(minutes(16));
  for (const route of kinds('session')) {
    t.is(resultOf(await send(t.context, route, withoutTokens(route))), '401 expired_session', nameOf(route));
  }
  t.context.clock.pass(hours(12));
  for (const route of kinds('staff', 'bearer').filter(isForStaff)) {
    t.is(resultOf(await sendAsStaff(t.context, route)), '401 expired_session', nameOf(route));
  }
});

test.serial('every route returns 503 with Retry-After while the database is unavailable', async (t) => {
  const { pool } = t.context.services.context().database;
  const { query, connect } = pool;
  const away = async () => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  };
  Object.assign(pool, { query: away, connect: away });
  try {
    for (const route of routes) {
      const response = await send(t.context, route, withoutTokens(route));
      t.is(resultOf(response), '503 service_unavailable', nameOf(route));
      t.is(response.headers.get('retry-after'), String(response.body.retry_after), nameOf(route));
    }
  } finally {
    Object.assign(pool, { query, connect });
  }
});

test('an Idempotency-Key that is too long or empty is rejected by every route that takes one', async (t) => {
  for (const key of ['k'.repeat(256), '']) {
    for (const route of routes.filter(({ idempotent }) => idempotent)) {
      const response = await send(t.context, route, { headers: { 'idempotency-key': key }, ...withoutTokens(route) });
      const expected = route.audience.kind === 'token' ? /^(400 invalid_request|40[134] )/ : /^400 invalid_request$/;
      t.regex(resultOf(response), expected, nameOf(route));
    }
  }
});

test('an empty Idempotency-Key is ignored by every route that takes none', async (t) => {
  for (const route of routes.filter(({ idempotent, audience }) => !idempotent && audience.kind !== 'inbound')) {
    const response = await send(t.context, route, { headers: { 'idempotency-key': '' }, ...withoutTokens(route) });
    t.notRegex(String(response.body.detail), /Idempotency-Key/, nameOf(route));
  }
});

/** The fields of storefronts' bodies that choose, and which other fields each choice reads that not all do. */
const readBy: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  purchaseType: { one_time: [], subscription: ['subscriptionInterval'] },
  purchase_type: { one_time: [], subscription: ['subscription_interval'] },
  action: {
    ...{ pause: [], resume: [], cancel: ['at_period_end'] },
    ...{ change_interval: ['subscription_interval'], change_address: ['shipping_address'] },
  },
};

/** The parts of a body that are objects, each with how it is put into an example of the whole. */
function objectsIn(schema: TSchema, example: unknown): [TSchema, (part: object) => unknown][] {
  const {
    properties = {},
    items,
    anyOf,
  } = schema as Partial<Record<'properties' | 'items', any>> & { anyOf?: TSchema[] };
  if (anyOf && !('properties' in schema)) return anyOf.flatMap((branch) => objectsIn(branch, example));
  if (items) return objectsIn(items, exampleOf(items)).map(([part, put]) => [part, (given) => [put(given)]]);
  const inner = Object.entries<TSchema>(properties).flatMap(([name, field]) =>
    objectsIn(field, exampleOf(field)).map(([part, put]): [TSchema, (given: object) => unknown] => [
      part,
      (given) => ({ ...(example as object), [name]: put(given) }),
    ]),
  );
  return 'properties' in schema ? [[schema, (given) => ({ ...(example as object), ...given })], ...inner] : inner;
}

const choicesOf = (field: TSchema): string[] =>
  [field, ...((field as { anyOf?: TSchema[] }).anyOf ?? [])].flatMap(
    (each) => (each as { enum?: string[] }).enum ?? [],
  );

test('a field that the choice of a body does not read may be anything', (t) => {
  const seen = new Set<string>();
  for (const route of withBody.filter(({ path }) => !path.includes('/admin/'))) {
    const body = route.body as TSchema;
    for (const [part, put] of objectsIn(body, exampleOf(body))) {
      const fields = Object.entries((part as unknown as { properties: Record<string, TSchema> }).properties);
      const choosing = fields.filter(([, field]) => choicesOf(field).length > 1);
      const read = choosing.flatMap(([name]) => Object.values(readBy[name] ?? {}).flat());
      for (const [name, field] of choosing.filter(([name]) => !read.includes(name))) {
        const where = `${nameOf(route)} ${name}`;
        seen.add(name);
        t.deepEqual(Object.keys(readBy[name] ?? {}), choicesOf(field), `${where}: say what each choice reads`);
        for (const [choice, own] of Object.entries(readBy[name] ?? {})) {
          for (const other of new Set(read)) {
            const issues = issuesOf(body, put({ [name]: choice, [other]: 'none' }));
            const isRejected = issues.some(({ path }) => path.split('/').includes(other));
            t.is(isRejected, own.includes(other), `${where} ${choice} and ${other}`);
          }
        }
      }
    }
  }
  t.deepEqual([...seen].toSorted(), Object.keys(readBy).toSorted());
});

test('a revoked or expired key is rejected with its own error', async (t) => {
  const { ctx } = t.context;
  const issue = (name: string, expiresAt: Date | null, issuedAt = ctx.clock.now()) =>
    transact({ ...ctx, clock: { ...ctx.clock, now: () => issuedAt } }, (ctx) =>
      issueKey(ctx, { name, kind: 'secret', scopes: [...scopes], expiresAt }),
    );
  const expired = await issue('old', new Date(1), new Date(0));
  const revoked = await issue('leaked', null);
  await transact(ctx, (ctx) => revokeKey(ctx, revoked.key));
  for (const route of kinds('dual', 'bearer', 'token')) {
    const sent = async (key: string) => resultOf(await send(t.context, route, { key, body: undefined }));
    t.is(await sent(expired.value), '401 expired_key', nameOf(route));
    t.is(await sent(revoked.value), '401 revoked_key', nameOf(route));
    t.is(await sent(newKey('secret', 'live')), '401 wrong_environment', nameOf(route));
    for (const authorization of ['Bearer', 'sk_test_x']) {
      const keyless = await send(t.context, route, { key: '', body: undefined, headers: { authorization } });
      t.is(resultOf(keyless), '401 missing_key', nameOf(route));
    }
  }
});

test('the password of a site that a proxy protects, which its pages send everywhere, changes no response', async (t) => {
  const { api, ctx, tenant } = t.context;
  let staff = await buildStaffSession(ctx);
  for (const route of routes.filter(({ audience }) => audience.kind !== 'inbound')) {
    const result = async (slug: string, headers?: Record<string, string>) => {
      const request = {
        headers: { ...(isForStaff(route) && staff.headers), ...headers },
        ...(slug && { tenant: slug }),
      };
      const response = await api.call(route.method.toUpperCase(), addressOf(route, tenant.slug), request);
      if (route.operationId === 'admin.signOut') staff = await buildStaffSession(ctx);
      return resultOf(response);
    };
    const basic = { authorization: 'Basic b3BzOm9wcw==' };
    for (const slug of [tenant.slug, '']) t.is(await result(slug, basic), await result(slug), nameOf(route));
  }
});

test('every route rejects a page of an origin that the store does not allow', async (t) => {
  const tenant = await buildTenant(t.context.services, { allowedOrigins: ['https://shop.example'] });
  const ctx = { ...t.context.ctx, tenant };
  const store = {
    ...t.context,
    tenant,
    key: await buildKey(ctx, scopes),
    session: (await buildSession(ctx)).token,
    staff: { ...(await buildStaffSession(ctx)).headers, origin: '' },
  };
  for (const route of routes.filter(({ audience }) => audience.kind !== 'inbound')) {
    const response = await send(store, route, { body: undefined, headers: { origin: 'https://evil.example' } });
    t.is(resultOf(response), '403 origin_not_allowed', nameOf(route));
  }
});

test('an invalid link or code is rejected with one message by every route', async (t) => {
  const messages = new Map<string, string>();
  for (const route of routes.filter(({ errors }) => errors?.includes('invalid_or_expired_token'))) {
    const names = Object.keys(route.query?.properties ?? {}).filter((name) => ['token', 'state'].includes(name));
    const query =
      names.length > 0 ? `?${new URLSearchParams(Object.fromEntries(names.map((name) => [name, 'unknown'])))}` : '';
    const { body } = await send(t.context, route, { query, ...(names.length > 0 && route.body && { body: {} }) });
    const what = 'code' in ((route.body as { properties?: object } | undefined)?.properties ?? {}) ? 'code' : 'link';
    if (body.error !== 'not_found') messages.set(`${what} ${nameOf(route)}`, `${body.error}: ${body.detail}`);
  }
  t.true(messages.size >= 4);
  for (const [route, text] of messages)
    t.is(text, `invalid_or_expired_token: This ${route.split(' ')[0]} is invalid or has expired.`, route);
});

test('a wrong key, a missing scope and an unknown store are rejected before an invalid link', async (t) => {
  const key = await buildKey(t.context.ctx, ['wholesale:read']);
  for (const route of kinds('token')) {
    const query = 'state' in (route.query?.properties ?? {}) ? '?state=unknown' : '?token=unknown';
    const result = async (given: { key?: string; tenant?: string }) =>
      resultOf(await send(t.context, route, { ...given, query, body: undefined }));
    t.is(await result({ key: 'pk_test_unknown' }), '401 invalid_key', nameOf(route));
    t.is(await result({ key }), '403 insufficient_scope', nameOf(route));
    t.is(await result({ tenant: 'unknown' }), '404 unknown_tenant', nameOf(route));
  }
});

test('every list rejects a cursor that was changed', async (t) => {
  for (const route of routes.filter(({ query }) => query && 'cursor' in query.properties)) {
    const fields = Object.entries(exampleOf(route.query ?? {}) as object).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]);
    const others = fields.filter(([name]) => name !== 'cursor');
    const query = `?${new URLSearchParams([...others, ['cursor', 'eyJub3QiOiJvdXJzIn0']])}`;
    t.is(resultOf(await send(t.context, route, { query })), '400 invalid_cursor', nameOf(route));
  }
});

test('an empty query parameter is omitted by every route', async (t) => {
  for (const route of routes.filter(({ query, method }) => query && method === 'get')) {
    const { properties = {}, required = [] } = route.query as FormSchema;
    const examples = exampleOf(route.query ?? {}) as Record<string, unknown>;
    const given = required.map((name): [string, string] => [name, String(examples[name])]);
    const empty = Object.keys(properties).filter((name) => !required.includes(name));
    const result = async (fields: [string, string][]) => {
      const { status, body } = await send(t.context, route, { query: `?${new URLSearchParams(fields)}` });
      return [status, { ...body, request_id: '' }];
    };
    t.deepEqual(await result([...given, ...empty.map((name): [string, string] => [name, ''])]), await result(given));
  }
});

test('every field that a shopper may leave empty in a form is then omitted', (t) => {
  const optionalTexts = (schema: FormSchema): [name: string, FormSchema][] => {
    const fields = Object.entries(schema.properties ?? {});
    return [
      ...fields.filter(([name]) => !schema.required?.includes(name)),
      ...fields.flatMap(([, field]) => optionalTexts(field.items ?? field)),
    ];
  };
  const isText = ({ anyOf = [] }: FormSchema) => anyOf.some((choice) => choice.type === 'string' && !choice.enum);
  const isForm = ({ path }: Route) => !/^\/api\/v1\/(admin|customer|staff)\//.test(path);
  const texts = withBody.filter(isForm).flatMap((route) =>
    optionalTexts(route.body as FormSchema)
      .filter(([, field]) => isText(field))
      .map(([name, field]) => ({ place: `${nameOf(route)} ${name}`, field })),
  );
  t.true(texts.length > 40);
  const rejected = texts.filter(({ field }) => !fits(Type.Object({ text: field as TSchema }), { text: '' }));
  t.deepEqual(
    rejected.map(({ place }) => place),
    [],
  );
});

interface FormSchema {
  readonly type?: string;
  readonly enum?: unknown;
  readonly anyOf?: readonly FormSchema[];
  readonly items?: FormSchema;
  readonly properties?: Readonly<Record<string, FormSchema>>;
  readonly required?: readonly string[];
}

test('a repeated query parameter is rejected with its path', async (t) => {
  for (const route of routes.filter(({ query, audience }) => query && audience.kind !== 'inbound')) {
    // The token and the store are checked before the schema of the query.
    const names = Object.keys(route.query?.properties ?? {}).filter(
      (name) => !['token', 'state', 'tenant'].includes(name),
    );
    for (const name of names) {
      const response = await send(t.context, route, { query: `?${name}=1&${name}=2` });
      t.is(resultOf(response), '400 invalid_request', `${nameOf(route)} ${name}`);
      t.true(
        response.body.errors.some(({ path }: { path: string }) => path === `/${name}`),
        `${nameOf(route)} ${name}`,
      );
    }
  }
});

test('an Idempotency-Key is rejected with a different body, and over 255 characters', async (t) => {
  for (const route of routes.filter(({ idempotent, body }) => idempotent && body)) {
    const sent = async (key: string, body: unknown) =>
      resultOf(await send(t.context, route, { body, headers: { 'idempotency-key': key } }));
    await sent('once', exampleOf(route.body ?? {}));
    t.is(await sent('once', { other: true }), '422 idempotency_key_reused', nameOf(route));
    t.is(await sent('k'.repeat(256), {}), '400 invalid_request', nameOf(route));
  }
});

test('a second request with the same Idempotency-Key gets 409 while the first is in progress', async (t) => {
  const { api, ctx, services, session, tenant } = t.context;
  const {
    body: { customer },
  } = await api.call('GET', '/api/v1/customer/me', { key: session });
  const { id: keyId } = await services.keys.open(t.context.key);
  for (const route of routes.filter(({ idempotent }) => idempotent && idempotent !== 'received')) {
    const { kind } = route.audience;
    await claimRequest(ctx, {
      method: route.method.toUpperCase(),
      path: addressOf(route, tenant.slug),
      key: 'first',
      credential: kind === 'bearer' ? keyId : kind === 'session' ? customer.id : 'anonymous',
      body: route.body && exampleOf(route.body),
    });
    const response = await send(t.context, route, { headers: { 'idempotency-key': 'first' } });
    t.is(resultOf(response), '409 idempotency_in_progress', nameOf(route));
    t.is(response.headers.get('retry-after'), '1', nameOf(route));
  }
});

const methods = ['post', 'put', 'patch', 'delete'];

const changing = routes
  .filter(({ method, audience }) => method !== 'get' && audience.kind !== 'inbound')
  .toSorted((left, right) => methods.indexOf(left.method) - methods.indexOf(right.method));

/** What the examples cannot know: what there is in this store, and windows that end after they start. */
async function givenIn({ ctx }: StoreContext): Promise<Record<string, Sending>> {
  const { slug, variant } = await buildProduct(ctx, { slug: 'beans' });
  const cart = await buildCart(ctx, [variant.id]);
  const line = cart.lines[0]?.id ?? '';
  const partner = await buildPartner(ctx);
  const ended = { starts_at: '2026-11-20T12:00:00Z', ends_at: '2027-11-20T12:00:00Z' };
  const exampleFor = (name: string) => {
    const body = changing.find((route) => nameOf(route) === name)?.body;
    return body && (exampleOf(body) as object);
  };
  const withTimes = (name: string): Sending => ({ body: { ...exampleFor(name), ...ended } });
  return {
    'POST /api/v1/admin/content': withTimes('POST /api/v1/admin/content'),
    'POST /api/v1/admin/partners': { body: { code: 'new', name: 'The Maker Blog' } },
    'POST /api/v1/admin/promo-codes': withTimes('POST /api/v1/admin/promo-codes'),
    'PUT /api/v1/admin/content/:type/:slug': withTimes('PUT /api/v1/admin/content/:type/:slug'),
    'PUT /api/v1/admin/promo-codes/:code': withTimes('PUT /api/v1/admin/promo-codes/:code'),
    'POST /api/v1/cart/:id/items': { params: { id: cart.id }, body: { variantId: variant.id, quantity: 1 } },
    'PATCH /api/v1/cart/:id/items/:itemId': { params: { id: cart.id, itemId: line }, body: { quantity: 2 } },
    'DELETE /api/v1/cart/:id/items/:itemId': { params: { id: cart.id, itemId: line } },
    'POST /api/v1/products/:slug/reviews': { params: { slug } },
    'POST /api/v1/leads/waitlist': { body: { email: 'ada@example.com', product_slug: slug } },
    'POST /api/v1/partners/track': { body: { code: partner.code, session_id: 'one' } },
  };
}

test('every route that changes something handles identical concurrent requests without a 500', async (t) => {
  const given = await givenIn(t.context);
  const succeeded = new Set<string>();
  for (const route of changing) {
    const name = nameOf(route);
    for (let round = 0; round < 2; round += 1) {
      const responses = await Promise.all([1, 2, 3].map(() => send(t.context, route, given[name])));
      const summary = responses.map(({ status, body }) => `${status} ${body?.detail ?? ''}`).join(', ');
      t.false(
        responses.some(({ status }) => status === 500),
        `${name}: ${summary}`,
      );
      if (responses.some(({ status }) => status < 300)) succeeded.add(name);
    }
  }
  const creating = ['content', 'gift-cards', 'keys', 'partners', 'products', 'promo-codes', 'webhook-endpoints'];
  for (const name of [...creating.map((name) => `POST /api/v1/admin/${name}`), ...Object.keys(given)])
    t.true(succeeded.has(name), `${name} was tried in vain`);
});

test('concurrent requests do not give two webhook endpoints the same URL', async (t) => {
  const { api, key } = t.context;
  const call = (method: string, path: string, url: string) =>
    api.call(method, `/api/v1/admin/webhook-endpoints${path}`, { key, body: { url, events: ['order.*'] } });
  const created = await Promise.all([1, 2, 3].map((n) => call('POST', '', `https://shop.example/${n}`)));
  const taken = { status: 400, body: { error: 'invalid_request', errors: only({ path: '/url' }) } };
  for (let round = 0; round < 5; round += 1) {
    const url = `https://shop.example/shared-${round}`;
    const responses = await Promise.all(created.map(({ body }) => call('PATCH', `/${body.webhook_endpoint.id}`, url)));
    const [changed, ...others] = responses.toSorted((left, right) => left.status - right.status);
    t.is(changed?.status, 200);
    for (const other of others) t.like(other, taken);
    t.like(await call('POST', '', url), taken);
  }
});
