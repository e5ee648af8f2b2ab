import anyTest, { type TestFn } from 'ava';
import { acceptedScopes, type Route } from '#src/api/lib/define-route.ts';
import { routes } from '#src/api/routes.ts';
import { transact } from '#src/database/transact.ts';
import { scopes } from '#src/domain/tenants/api-key.ts';
import { moduleNames, type Scope, setModules } from '#src/domain/tenants/index.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import {
  addressOf,
  isForStaff,
  keyTo,
  kinds,
  nameOf,
  resultOf,
  type StoreContext,
  send,
  sendAsStaff,
  useStore,
  withBody,
} from '#test/support/every-route.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildStaffSession } from '#test/support/factories/staff.ts';
import { buildTenant } from '#test/support/tenant.ts';

/* What holds for every route, generated from what each declares: who may call it, and what it reads. */
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
  }
});

test('a fixed path segment is never read as the parameter of another route', async (t) => {
  const { api, tenant } = t.context;
  const words = [
    'cart/apply-promo',
    'cart/apply-gift-card',
    'cart/save',
    'partners/track',
    'partners/apply',
    'subscriptions/gift-checkout',
  ];
  for (const word of words) {
    const response = await api.call('GET', `/api/v1/${word}`, { tenant: tenant.slug });
    t.is(resultOf(response), '405 method_not_allowed', word);
    t.is(response.headers.get('allow'), 'POST, OPTIONS', word);
    t.is((await api.call('OPTIONS', `/api/v1/${word}`)).headers.get('access-control-allow-methods'), 'POST', word);
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
    t.is((await send(t.context, route, { params: { [name]: '..%00' } })).status, 404, nameOf(route));
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
    const isCompleted = route.caching === 'revalidate' && response.status < 400;
    const keeping = route.audience.kind === 'bearer' ? 'private' : 'public';
    t.is(
      response.headers.get('cache-control'),
      isCompleted ? `${keeping}, max-age=0, must-revalidate` : 'no-store',
      nameOf(route),
    );
  }
});
