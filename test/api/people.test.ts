import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { saveProduct } from '#src/domain/catalog/index.ts';
import { listInquiries, listLeads, presentInquiry, presentLead } from '#src/domain/leads/index.ts';
import { sql } from '#src/lib/sql.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

const pages = [
  '/api/v1/leads',
  '/api/v1/leads/quiz',
  '/api/v1/leads/waitlist',
  '/api/v1/leads/wholesale',
  '/api/v1/wholesale',
];

test('an email address is one lead per source, however often and in whatever spelling it is submitted', async (t) => {
  const { api, ctx, tenant } = t.context;
  const leave = async (body: object) => {
    const response = await api.call('POST', '/api/v1/leads', { tenant: tenant.slug, body });
    t.is(response.status, 201);
    t.deepEqual(Object.keys(response.body), ['ok', 'lead_id']);
    t.true(response.body.ok);
    return response.body.lead_id as string;
  };
  const first = await leave({ email: 'Ada@Example.com', source: 'footer', name: 'Ada', consent: true });
  t.regex(first, /^lead_/);
  t.is(await leave({ email: 'ada@example.com', source: 'footer' }), first);
  t.not(await leave({ email: 'ada@example.com', source: 'popup' }), first);
  t.not(await leave({ email: 'ada@example.com' }), first);
  t.is(
    await leave({ email: 'ada@example.com', source: null }),
    await leave({ email: 'ada@example.com', source: 'storefront' }),
  );

  const { rows } = await listLeads(ctx, { source: 'footer' });
  t.like(rows.map(presentLead), { length: 1, 0: { id: first, email: 'ada@example.com', name: 'Ada', consent: true } });
  t.is((await listLeads(ctx, {})).rows.length, 3);
});

test.serial('the id of a lead does not reveal since when it exists', async (t) => {
  const { api, clock, ctx, tenant } = t.context;
  const { slug } = await buildProduct(ctx);
  const idsOf = async (email: string) => {
    const ids: string[] = [];
    for (const path of pages.slice(0, 4)) {
      const { body } = await api.call('POST', path, { tenant: tenant.slug, body: { email, product_slug: slug } });
      ids.push(body.lead_id);
    }
    return ids;
  };
  const timeOf = (id: string) => id.slice(0, 'lead_'.length + 6);
  const first = await idsOf('ada@example.com');
  t.is(new Set([...first, ...(await idsOf('grace@example.com'))].map(timeOf)).size, 8);

  const listed = async () => (await listLeads(ctx, { limit: 100 })).rows.map(({ email }) => email);
  t.is((await listed()).length, 8);
  clock.pass(1000);
  await idsOf('late@example.com');
  t.deepEqual((await listed()).slice(0, 4), Array<string>(4).fill('late@example.com'));
  t.deepEqual(await idsOf('ada@example.com'), first);

  const paged: string[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: Awaited<ReturnType<typeof listLeads>> = await listLeads(ctx, { limit: 1, ...(cursor && { cursor }) });
    paged.push(...page.rows.map(({ email }) => email));
    cursor = page.cursor;
  }
  t.deepEqual(paged, await listed());
});

test('only a secret key that may write leads changes the name or consent that a lead has', async (t) => {
  const { api, ctx, tenant } = t.context;
  const leave = async (body: object, key?: string) => {
    const headers = key ? { authorization: `Bearer ${key}` } : {};
    await api.call('POST', '/api/v1/leads', {
      tenant: tenant.slug,
      headers,
      body: { email: 'ada@example.com', source: 'footer', ...body },
    });
    const [lead] = (await listLeads(ctx, { source: 'footer' })).rows;
    return [lead?.name, lead?.consent];
  };
  t.deepEqual(await leave({}), [null, null]);
  t.deepEqual(await leave({ name: 'Ada', consent: true }), ['Ada', true], 'as if it were new');
  t.deepEqual(await leave({ name: 'Eve', consent: false }), ['Ada', true]);
  const secret = await buildKey(ctx, ['leads:write']);
  t.deepEqual(await leave({ consent: false }, secret), ['Ada', false]);
  for (const key of [
    undefined,
    'sk_test_unknown',
    await buildKey(ctx, ['leads:write'], 'publishable'),
    await buildKey(ctx, ['products:read']),
  ])
    t.deepEqual(await leave({ name: 'Eve', consent: true }, key), ['Ada', false]);
  t.deepEqual(await leave({ name: 'Ada L.', consent: true }, secret), ['Ada L.', true]);
  t.deepEqual(await leave({ consent: false }), ['Ada L.', true]);
});

test('fifty concurrent requests create one lead', async (t) => {
  const { api, tenant } = t.context;
  const responses = await Promise.all(
    Array.from({ length: 50 }, () =>
      api.call('POST', '/api/v1/leads', { tenant: tenant.slug, body: { email: 'ada@example.com', source: 'footer' } }),
    ),
  );
  t.is(new Set(responses.map(({ status, body }) => `${status} ${body.lead_id}`)).size, 1);
});

test('quiz answers are stored as sent, and newer ones replace them', async (t) => {
  const { api, ctx, tenant } = t.context;
  const sendQuiz = (answers: unknown) =>
    api.call('POST', '/api/v1/leads/quiz', { tenant: tenant.slug, body: { email: 'ada@example.com', answers } });
  const answers = { roast: 'dark', cups: 3, likes: ['fruit', { more: ['nuts'] }], decaf: false, note: null };
  const first = await sendQuiz(answers);
  t.is(first.status, 201);
  const [lead] = (await listLeads(ctx, { source: 'quiz' })).rows;
  t.deepEqual(lead?.answers, answers);
  t.is((await sendQuiz({ roast: 'light' })).body.lead_id, first.body.lead_id);
  t.deepEqual((await listLeads(ctx, { source: 'quiz' })).rows[0]?.answers, { roast: 'light' });
  t.is((await sendQuiz(undefined)).status, 201);
  t.deepEqual((await listLeads(ctx, { source: 'quiz' })).rows[0]?.answers, { roast: 'light' });
});

test('quiz answers that are too deep, too many, too large or no object are rejected', async (t) => {
  const { api, tenant } = t.context;
  const sendQuiz = (answers: unknown) =>
    api.call('POST', '/api/v1/leads/quiz', { tenant: tenant.slug, body: { email: 'ada@example.com', answers } });
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  t.is((await sendQuiz(nested(5))).status, 201);
  for (const wrong of [
    nested(6),
    nested(30),
    Object.fromEntries(Array.from({ length: 201 }, (_, i) => [i, i])),
    'dark',
    [1],
  ]) {
    const { status, body } = await sendQuiz(wrong);
    t.is(status, 400);
    t.is(body.error, 'invalid_request');
    t.is(body.errors[0].path, '/answers');
  }
  t.like(await sendQuiz({ text: 'x'.repeat(17_000) }), { status: 413, body: { error: 'payload_too_large' } });
});

test('POST /leads/waitlist accepts a variant or a product of this store, and stores it once', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const { slug, variant } = await buildProduct(ctx, { variants: [{ stock: 0 }, { stock: 0 }] });
  const draft = await buildProduct(ctx, { status: 'draft' });
  const {
    variants: [, removed],
  } = await buildProduct(ctx, { slug: 'vase', variants: [{}, {}] });
  const vase = { slug: 'vase', name: 'Vase', variants: [{ sku: 'VASE-1', price_cents: 3800 }] };
  await transact(ctx, (ctx) => saveProduct(ctx, vase, { prune: true }));
  const theirs = await buildProduct({ ...ctx, tenant: await buildTenant(services) });
  const wait = (body: object) =>
    api.call('POST', '/api/v1/leads/waitlist', { tenant: tenant.slug, body: { email: 'ada@example.com', ...body } });

  const responses = [
    await wait({ product_slug: slug }),
    await wait({ product_slug: slug, variant_id: null }),
    await wait({ product_slug: slug, variant_id: variant.id }),
    await wait({ variant_id: variant.id }),
  ];
  t.deepEqual(
    responses.map(({ status }) => status),
    [201, 201, 201, 201],
  );
  t.is(new Set(responses.map(({ body }) => body.lead_id)).size, 1);
  const entries = await read(
    ctx,
    sql`select variant_id as id from waitlist_entries where tenant_id = ${tenant.id} order by id`,
  );
  t.deepEqual(entries, [{ id: variant.id }, { id: null }]);

  const unknown = [
    [{ product_slug: 'no-such' }, '/product_slug'],
    [{ product_slug: draft.slug }, '/product_slug'],
    [{ product_slug: theirs.slug }, '/product_slug'],
    [{ variant_id: theirs.variant.id }, '/variant_id'],
    [{ product_slug: slug, variant_id: draft.variant.id }, '/variant_id'],
    [{ variant_id: removed?.id }, '/variant_id'],
  ] as const;
  for (const [body, path] of unknown) {
    const response = await wait(body);
    t.is(response.status, 400);
    t.like(response.body, { error: 'unknown_product', errors: only({ path }) });
  }
  t.like(await wait({}), { status: 400, body: { error: 'invalid_request', errors: only({ path: '/product_slug' }) } });
});

test('a wholesale inquiry is stored with its lead', async (t) => {
  const { api, ctx, tenant } = t.context;
  const inquiry = {
    email: 'Buyer@Shops.example',
    company: 'Three Shops',
    phone: '+1 415 555 0100',
    message: 'Bowls?',
    expected_volume: '200 a month',
  };
  const { status, body } = await api.call('POST', '/api/v1/wholesale', { tenant: tenant.slug, body: inquiry });
  t.is(status, 201);
  t.regex(body.inquiry.id, /^inq_/);
  t.deepEqual(body, { inquiry: { id: body.inquiry.id, status: 'new' } });

  const lead = await api.call('POST', '/api/v1/leads/wholesale', {
    tenant: tenant.slug,
    body: { email: inquiry.email, message: 'Plates?' },
  });
  t.is(lead.status, 201);
  t.is((await listLeads(ctx, { source: 'wholesale' })).rows[0]?.id, lead.body.lead_id);

  const page = await listInquiries(ctx, { limit: 1 });
  t.like(page.rows.map(presentInquiry), {
    length: 1,
    0: { email: 'buyer@shops.example', message: 'Plates?', company: null },
  });
  const rest = await listInquiries(ctx, { limit: 1, cursor: page.cursor ?? '' });
  t.like(rest.rows.map(presentInquiry), { length: 1, 0: { ...inquiry, email: 'buyer@shops.example', status: 'new' } });
  t.is(rest.cursor, null);
});

test('the expected volume of an inquiry may be a number, as a form with a number field sends it', async (t) => {
  const { api, ctx, tenant } = t.context;
  const volumeOf = async (expected_volume: unknown) => {
    const body = { email: 'buyer@shops.example', expected_volume };
    t.is((await api.call('POST', '/api/v1/wholesale', { tenant: tenant.slug, body })).status, 201);
    return (await listInquiries(ctx, { limit: 1 })).rows.map(presentInquiry)[0]?.expected_volume;
  };
  t.is(await volumeOf(100), '100');
  t.is(await volumeOf(2.5), '2.5');
  t.is(await volumeOf(''), null);
});

test('repeating an inquiry with the same Idempotency-Key stores it once', async (t) => {
  const { api, ctx, tenant } = t.context;
  const request = () =>
    api.call('POST', '/api/v1/wholesale', {
      tenant: tenant.slug,
      body: { email: 'buyer@shops.example' },
      headers: { 'idempotency-key': 'click-1' },
    });
  const first = await request();
  t.deepEqual((await request()).body, first.body);
  t.is((await listInquiries(ctx, {})).rows.length, 1);
});

for (const path of pages) {
  test(`POST ${path} requires a store and an email address`, async (t) => {
    const { api, tenant } = t.context;
    const { slug } = await buildProduct(t.context.ctx);
    const body = { email: 'ada@example.com', product_slug: slug };
    t.is((await api.call('POST', path, { tenant: tenant.slug, body })).status, 201);
    t.like(await api.call('POST', path, { body }), { status: 400, body: { error: 'missing_tenant' } });
    t.like(await api.call('POST', path, { tenant: 'no-such-store', body }), {
      status: 404,
      body: { error: 'unknown_tenant' },
    });
    for (const email of [
      undefined,
      7,
      '',
      'ada',
      'ada@example.com, eve@example.com',
      `${'a'.repeat(65)}@example.com`,
    ]) {
      const { status, body } = await api.call('POST', path, {
        tenant: tenant.slug,
        body: { product_slug: slug, email },
      });
      t.is(status, 400, String(email));
      t.like(body, { error: 'invalid_request', errors: only({ path: '/email' }) });
    }
    t.like(await api.call('GET', path, { tenant: tenant.slug }), {
      status: 405,
      body: { error: 'method_not_allowed' },
    });
  });
}

test('leads of one store are not those of another', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const other = await buildTenant(services);
  const leave = async (slug: string) =>
    (await api.call('POST', '/api/v1/leads', { tenant: slug, body: { email: 'ada@example.com' } })).body.lead_id;
  t.not(await leave(tenant.slug), await leave(other.slug));
  t.is((await listLeads(ctx, {})).rows.length, 1);
});

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
  t.like(nameless, { status: 400, body: { error: 'invalid_request', errors: only({ path: '/code' }) } });
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
