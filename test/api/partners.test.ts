import anyTest, { type TestFn } from 'ava';

import { buildKey } from '#test/support/factories/keys.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

test('GET /partners/:code shows the discount and not the commission', async (t) => {
  const {
    api,
    ctx,
    services,
    tenant: { slug: tenant },
  } = t.context;
  await buildPartner(ctx, { code: 'maker', discount_percent: 5 });
  const response = await api.call('GET', '/api/v1/partners/Maker', { tenant });
  t.is(response.status, 200);
  t.deepEqual(response.body, { partner: { code: 'maker', name: 'The Maker Blog', discount: { percent: 5 } } });

  t.is((await api.call('GET', '/api/v1/partners/maker', { key: await buildKey(ctx, ['partners:read']) })).status, 200);
  t.is(
    (await api.call('GET', '/api/v1/partners/maker', { key: await buildKey(ctx, ['cart:read']) })).body.required_scope,
    'partners:read',
  );
  t.like(await api.call('GET', '/api/v1/partners/nobody', { tenant }), { status: 404, body: { error: 'not_found' } });
  t.is((await api.call('GET', '/api/v1/partners/maker', { tenant: (await buildTenant(services)).slug })).status, 404);
});

test('a referral is recorded once per session', async (t) => {
  const {
    api,
    ctx,
    services,
    tenant: { slug: tenant },
  } = t.context;
  await buildPartner(ctx, { code: 'maker' });
  const track = (body: object, store = tenant) => api.call('POST', '/api/v1/partners/track', { tenant: store, body });
  const first = await track({ code: 'MAKER', session_id: 'ses-1', landing_url: 'https://shop.example/?partner=maker' });
  t.is(first.status, 200);
  t.true(first.body.ok);
  t.regex(first.body.referral_id, /^ref_/);
  t.deepEqual((await track({ code: 'maker', session_id: 'ses-1' })).body, first.body);
  t.not((await track({ code: 'maker', session_id: 'ses-2' })).body.referral_id, first.body.referral_id);

  t.is((await track({ code: 'nobody', session_id: 'ses-1' })).status, 404);
  t.is((await track({ code: 'maker' }, (await buildTenant(services)).slug)).status, 404);
});

test('a referral without a code is rejected with its path, and a request without a store is rejected', async (t) => {
  const {
    api,
    tenant: { slug: tenant },
  } = t.context;
  const nameless = await api.call('POST', '/api/v1/partners/track', { tenant, body: { session_id: 'ses-1' } });
  t.like(nameless, { status: 400, body: { error: 'invalid_request', errors: [{ path: '/code' }] } });
  t.is((await api.call('POST', '/api/v1/partners/track', { body: { code: 'maker' } })).body.error, 'missing_tenant');
});

test('POST /partners/apply stores an application', async (t) => {
  const {
    api,
    tenant: { slug: tenant },
  } = t.context;
  const apply = (body: object) => api.call('POST', '/api/v1/partners/apply', { tenant, body });
  const response = await apply({
    email: 'ada@example.com',
    name: 'Ada',
    website: 'https://blog.example.com',
    message: 'I write about kitchens.',
  });
  t.is(response.status, 201);
  t.deepEqual(response.body, { application: { id: response.body.application.id, status: 'pending' } });
  t.is((await apply({ name: 'Ada' })).body.errors[0].path, '/email');
  t.is((await apply({ email: 'nobody' })).body.errors[0].path, '/email');
});
