import anyTest, { type TestFn } from 'ava';
import type { Route } from '#src/api/lib/define-route.ts';
import { routes } from '#src/api/routes.ts';
import { transact } from '#src/database/transact.ts';
import { claimRequest } from '#src/domain/idempotency/index.ts';
import { newKey, scopes } from '#src/domain/tenants/api-key.ts';
import { issueKey, revokeKey } from '#src/domain/tenants/index.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import {
  addressOf,
  isForStaff,
  kinds,
  nameOf,
  resultOf,
  type StoreContext,
  send,
  sendAsStaff,
  useStore,
} from '#test/support/every-route.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildSession } from '#test/support/factories/sessions.ts';
import { buildStaffSession } from '#test/support/factories/staff.ts';
import { buildTenant } from '#test/support/tenant.ts';

/* The errors that follow from what a route declares, caused at every route that documents them. */
const test = anyTest as TestFn<StoreContext>;
useStore(test);

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

test('an Idempotency-Key that is too long is rejected by every route that takes one', async (t) => {
  const headers = { 'idempotency-key': 'k'.repeat(256) };
  for (const route of routes.filter(({ idempotent }) => idempotent)) {
    const response = await send(t.context, route, { headers, ...withoutTokens(route) });
    const expected = route.audience.kind === 'token' ? /^(400 invalid_request|40[134] )/ : /^400 invalid_request$/;
    t.regex(resultOf(response), expected, nameOf(route));
  }
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
    const basic = await send(t.context, route, {
      key: '',
      body: undefined,
      headers: { authorization: 'Basic b3BzOm9wcw==' },
    });
    t.is(resultOf(basic), '401 missing_key', nameOf(route));
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
  for (const route of routes.filter(({ idempotent }) => idempotent)) {
    const { kind } = route.audience;
    await claimRequest(ctx, {
      method: route.method.toUpperCase(),
      path: addressOf(route, tenant.slug),
      key: 'first',
      credential: kind === 'bearer' ? keyId : kind === 'session' ? customer.id : 'anonymous',
      body: Buffer.from(route.body ? JSON.stringify(exampleOf(route.body)) : ''),
    });
    const response = await send(t.context, route, { headers: { 'idempotency-key': 'first' } });
    t.is(resultOf(response), '409 idempotency_in_progress', nameOf(route));
    t.is(response.headers.get('retry-after'), '1', nameOf(route));
  }
});
