import anyTest, { type TestFn } from 'ava';
import { Webhook } from 'standardwebhooks';

import { handleCall } from '#jobs/integrations.ts';
import { read } from '#src/database/transact.ts';
import { callSecretOf, createIntegrationState, readConnection } from '#src/domain/integrations/index.ts';
import { minutes } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

const path = '/api/v1/integrations/bookkeeper/callback';
const returnUrl = 'https://owner.example/settings?tab=books';
const wrongState = { status: 400, body: { error: 'invalid_or_expired_token' } };

test('the callback redirects the owner to the return URL and stores the received data encrypted', async (t) => {
  const { api, ctx, tenant } = t.context;
  const {
    state,
    connection: { id: connectionId },
    callbackUrl,
  } = await createIntegrationState(ctx, { provider: 'bookkeeper', returnUrl });
  t.is(new URL(callbackUrl).pathname, path);
  t.is(await readConnection(ctx, connectionId), undefined);

  const response = await api.call('GET', `${path}?state=${state}&code=swordfish&scope=a&scope=b`);
  t.is(response.status, 302);
  t.is(response.headers.get('location'), returnUrl);
  t.is(response.headers.get('cache-control'), 'no-store');
  t.like(await readConnection(ctx, connectionId), {
    provider: 'bookkeeper',
    received: { code: 'swordfish', scope: ['a', 'b'] },
  });
  const rows = await read<object>(ctx, sql`select * from integration_connections where tenant_id = ${tenant.id}`);
  t.notRegex(JSON.stringify(rows), new RegExp(`swordfish|${state}`));

  t.is((await api.call('GET', `${path}?state=${state}&code=other`)).status, 302);
  t.like(await readConnection(ctx, connectionId), { received: { code: 'swordfish' } });
});

test('the callback rejects a changed, unknown or expired state, and one of another provider or store', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const other = await buildTenant(services);
  const { state } = await createIntegrationState(ctx, { provider: 'bookkeeper', returnUrl });
  const changed = state.slice(0, -2) + (state.endsWith('AA') ? 'BA' : 'AA');

  t.like(await api.call('GET', `${path}?state=${changed}`), wrongState);
  t.like(await api.call('GET', `${path}?state=nonsense`), wrongState);
  t.like(await api.call('GET', `${path}?state=${state}&state=${state}`), wrongState);
  t.like(await api.call('GET', `/api/v1/integrations/baker/callback?state=${state}`), wrongState);
  t.like(await api.call('GET', `${path}?state=${other.id.slice(4)}${state.slice(26)}`), wrongState);
  t.like(await api.call('GET', `${path}?state=${state}`, { tenant: other.slug }), {
    status: 400,
    body: { error: 'invalid_request' },
  });
  t.is((await api.call('GET', `${path}?state=${state}`, { tenant: tenant.slug })).status, 302);
  t.like(await api.call('GET', path), { status: 400, body: { error: 'missing_tenant' } });
  t.like(await api.call('GET', path, { tenant: tenant.slug }), {
    status: 400,
    body: { error: 'invalid_request', errors: [{ path: '/state' }] },
  });
  t.like(await api.call('GET', `/api/v1/integrations/A%20B/callback?state=${state}`), {
    status: 404,
    body: { error: 'not_found' },
  });
});

test('the callback rejects a state after thirty minutes', async (t) => {
  const { api, ctx } = t.context;
  const earlier = { ...ctx, clock: { now: () => new Date(ctx.clock.now().getTime() - minutes(31)) } };
  const { state } = await createIntegrationState(earlier, { provider: 'bookkeeper', returnUrl });
  t.like(await api.call('GET', `${path}?state=${state}`), wrongState);
});

test('only web URLs are accepted as return URL', async (t) => {
  const { ctx } = t.context;
  const begin = (returnUrl: string, localMode: boolean) =>
    createIntegrationState({ ...ctx, settings: { ...ctx.settings, localMode } }, { provider: 'bookkeeper', returnUrl });
  for (const wrong of ['http://owner.example/', 'javascript:alert(1)', '/settings', '']) {
    await t.throwsAsync(begin(wrong, false), { code: 'invalid_request' });
  }
  await t.notThrowsAsync(begin('http://127.0.0.1:3000/', true));
});

test('a signed call is stored once and handed to a job', async (t) => {
  const { api, ctx, tenant } = t.context;
  const body = JSON.stringify({ invoice: 7 });
  const now = ctx.clock.now();
  const signature = new Webhook(await callSecretOf(ctx, 'bookkeeper')).sign('msg-1', now, body);
  const headers = {
    'webhook-id': 'msg-1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': `v1,bm90IG91cnM= ${signature}`,
  };
  const byQuery = await api.call('POST', `${path}?tenant=${tenant.slug}`, { body, headers });
  t.is(byQuery.status, 202);
  t.deepEqual(byQuery.body, { ok: true });
  t.is((await api.call('POST', path, { tenant: tenant.slug, body, headers })).status, 202);
  t.is((await api.call('POST', `${path}?tenant=${tenant.slug}`, { tenant: tenant.slug, body, headers })).status, 202);
  t.is((await enqueuedJobs(ctx, handleCall)).length, 1);
});

test('a call that is not signed for this store and provider, is too old or is not JSON is not stored', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const other = await buildTenant(services);
  const now = ctx.clock.now();
  const secret = await callSecretOf(ctx, 'bookkeeper');
  const send = (
    options: { secret?: string; at?: Date; signed?: string; body?: string; drop?: string; query?: string } = {},
  ) => {
    const { at = now, body = '{}' } = options;
    const headers: Record<string, string> = {
      'webhook-id': 'msg-1',
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': new Webhook(options.secret ?? secret).sign('msg-1', at, options.signed ?? body),
    };
    if (options.drop) delete headers[options.drop];
    return api.call('POST', path + (options.query ?? `?tenant=${tenant.slug}`), { body, headers });
  };
  const forged = { status: 400, body: { error: 'invalid_request' } };

  t.like(await send({ secret: await callSecretOf(ctx, 'baker') }), forged);
  t.like(await send({ secret: await callSecretOf({ ...ctx, tenant: other }, 'bookkeeper') }), forged);
  t.like(await send({ signed: '{"a":1}' }), forged);
  t.like(await send({ at: new Date(now.getTime() - minutes(6)) }), forged);
  t.like(await send({ at: new Date(now.getTime() + minutes(6)) }), forged);
  for (const drop of ['webhook-id', 'webhook-timestamp', 'webhook-signature']) t.like(await send({ drop }), forged);
  t.like(await send({ body: 'not json' }), { status: 400, body: { error: 'invalid_json' } });
  t.like(await send({ body: JSON.stringify('x'.repeat(512 * 1024)) }), {
    status: 413,
    body: { error: 'payload_too_large' },
  });
  t.like(await send({ query: '' }), { status: 400, body: { error: 'missing_tenant' } });
  t.like(await send({ query: '?tenant=no-such-store' }), { status: 404, body: { error: 'unknown_tenant' } });
  t.like(await api.call('POST', `${path}?tenant=${other.slug}`, { tenant: tenant.slug, body: '{}' }), {
    status: 400,
    body: { error: 'invalid_request' },
  });
  t.deepEqual(await read(ctx, sql`select id from integration_calls where tenant_id = ${tenant.id}`), []);
});
