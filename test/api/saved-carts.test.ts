import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { markBought } from '#src/domain/cart/index.ts';
import { buildSavedCart, restoreTokenOf, unsubscribeTokenOf } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

const restore = '/api/v1/cart/restore';
const unsubscribe = '/api/v1/cart/unsubscribe';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

test('POST /cart/save does not return the token, and GET /cart/restore accepts it', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const bowl = await buildProduct(ctx);
  const saved = await api.call('POST', '/api/v1/cart/save', {
    tenant,
    body: {
      email: 'Ada@example.com',
      items: [
        { product_slug: bowl.slug, quantity: '2', unit_price_cents: '3000', name: 'Bowl' },
        { product_slug: 'never-was', quantity: 1 },
      ],
    },
  });
  t.is(saved.status, 200);
  const { saved_cart_id: id, expires_at } = saved.body;
  t.deepEqual(saved.body, { ok: true, saved_cart_id: id, expires_at, reminders: 'scheduled' });
  t.regex(id, /^scart_/);

  const token = await restoreTokenOf(ctx, id);
  const expected = {
    id,
    expires_at,
    currency: 'USD',
    items: [
      {
        product_slug: bowl.slug,
        variant_id: null,
        name: 'Bowl',
        quantity: 2,
        unit_price_cents: 3000,
        current_unit_price_cents: 3800,
        status: 'price_changed',
      },
      {
        product_slug: 'never-was',
        variant_id: null,
        name: null,
        quantity: 1,
        unit_price_cents: null,
        current_unit_price_cents: null,
        status: 'discontinued',
      },
    ],
  };
  // A link in an email sends no header: the token names the tenant.
  for (const response of [
    await api.call('GET', `${restore}?token=${token}`),
    await api.call('GET', `${restore}?token=${token}`, { tenant }),
    await api.call('GET', `${restore}?token=${token}`, { key: await buildKey(ctx, ['cart:read']) }),
    await api.call('POST', restore, { body: { token } }),
    await api.call('POST', `${restore}?token=${token}`, { tenant }),
  ]) {
    t.is(response.status, 200);
    t.like(response.body.saved_cart, expected);
  }
});

test('POST /cart/save schedules no reminders without consent, and names the paths of invalid fields', async (t) => {
  const {
    api,
    tenant: { slug: tenant },
  } = t.context;
  const save = (body: object) => api.call('POST', '/api/v1/cart/save', { tenant, body });
  const items = [{ quantity: 1, name: 'A thing' }];
  t.is((await save({ email: 'ada@example.com', items, consent: false })).body.reminders, 'not_scheduled');
  t.is((await save({ email: 'ada@example.com', items, consent: null })).body.reminders, 'scheduled');
  const wrong: [object, string][] = [
    [{ items }, '/email'],
    [{ email: 'nobody', items }, '/email'],
    [{ email: 'ada@example.com' }, '/items'],
    [{ email: 'ada@example.com', items: [] }, '/items'],
    [{ email: 'ada@example.com', items: [{ name: 'A' }] }, '/items/0/quantity'],
    [{ email: 'ada@example.com', items: [{ quantity: 0 }] }, '/items/0/quantity'],
    [{ email: 'ada@example.com', items: Array(101).fill({ quantity: 1 }) }, '/items'],
  ];
  for (const [body, at] of wrong) {
    const response = await save(body);
    t.is(response.status, 400);
    t.is(response.body.errors[0].path, at);
  }
});

test('GET /cart/restore returns 410 for a converted cart and 400 without a token', async (t) => {
  const {
    api,
    ctx,
    services,
    tenant: { slug: tenant },
  } = t.context;
  const saved = await buildSavedCart(ctx, { email: 'ada@example.com' });
  const token = await restoreTokenOf(ctx, saved.id);
  const unknown = await restoreTokenOf(ctx, 'scart_none');
  const gone = { status: 410, body: { error: 'saved_cart_gone' } };
  t.like(await api.call('GET', `${restore}?token=${unknown}`, { tenant }), gone);
  t.like(await api.call('GET', `${restore}?token=nonsense`, { tenant }), gone);
  t.like(await api.call('GET', `${restore}?token=nonsense`), gone);
  t.like(await api.call('POST', restore, { body: { token: unknown } }), gone);

  t.like(await api.call('GET', restore, { tenant }), {
    status: 400,
    body: { error: 'invalid_request', errors: [{ path: '/token' }] },
  });
  t.like(await api.call('GET', restore), { status: 400, body: { error: 'missing_tenant' } });
  const other = await buildTenant(services);
  t.like(await api.call('GET', `${restore}?token=${token}`, { tenant: other.slug }), {
    status: 400,
    body: { error: 'invalid_request' },
  });
  const theirKey = await buildKey({ ...ctx, tenant: other }, ['cart:read']);
  t.is((await api.call('GET', `${restore}?token=${token}`, { key: theirKey })).status, 400);
  t.is(
    (await api.call('GET', `${restore}?token=${token}`, { key: await buildKey(ctx, ['products:read']) })).status,
    403,
  );
  t.is((await api.call('GET', `${restore}?token=${'0'.repeat(26)}${token.slice(26)}`)).body.error, 'unknown_tenant');

  await transact(ctx, (ctx) => markBought(ctx, { email: 'ada@example.com', cartId: null, sessionId: null }));
  t.like(await api.call('GET', `${restore}?token=${token}`), gone);
});

test('GET /cart/unsubscribe changes nothing, and the button of its page unsubscribes', async (t) => {
  const { api, ctx } = t.context;
  const { email } = await buildSavedCart(ctx);
  const token = await unsubscribeTokenOf(ctx, email);
  const status = async () => (await api.call('GET', `${unsubscribe}?token=${token}`)).body;
  t.deepEqual(await status(), { ok: true, status: 'subscribed' });

  const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
  const shown = await api.call('GET', `${unsubscribe}?token=${token}`, { headers: browser });
  t.is(shown.status, 200);
  t.is(shown.headers.get('content-type'), 'text/html; charset=utf-8');
  t.regex(shown.headers.get('content-security-policy') ?? '', /default-src 'none'/);
  t.is(shown.headers.get('referrer-policy'), 'no-referrer');
  t.is(shown.body.match(/<button/g)?.length, 1);
  t.deepEqual(await status(), { ok: true, status: 'subscribed' });

  // What checks links does not press buttons, even where one is part of the link.
  t.is((await api.call('HEAD', `${unsubscribe}?token=${token}&confirm=1`)).status, 200);
  t.deepEqual(await status(), { ok: true, status: 'subscribed' });

  const [, action = ''] = /action="([^"]+)"/.exec(shown.body) ?? [];
  const pressed = await api.call('POST', unsubscribe + action, { headers: { ...browser, ...form }, body: '' });
  t.is(pressed.status, 200);
  t.regex(pressed.body, /No more reminders/);
  t.false(pressed.body.includes('<button'));
  t.deepEqual(await status(), { ok: true, status: 'unsubscribed' });
});

test('every way to unsubscribe works repeatedly', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const boundary = '----x';
  const multipart = `--${boundary}\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--${boundary}--\r\n`;
  const ways: ((token: string) => Promise<{ status: number; body: unknown }>)[] = [
    (token) => api.call('POST', unsubscribe, { body: { token } }),
    (token) => api.call('POST', unsubscribe, { tenant, body: { token } }),
    (token) => api.call('POST', `${unsubscribe}?token=${token}`),
    (token) => api.call('POST', unsubscribe, { headers: form, body: `token=${token}` }),
    (token) => api.call('POST', `${unsubscribe}?token=${token}`, { headers: form, body: 'List-Unsubscribe=One-Click' }),
    (token) =>
      api.call('POST', `${unsubscribe}?token=${token}`, {
        headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
        body: multipart,
      }),
    (token) => api.call('GET', `${unsubscribe}?token=${token}&confirm=1`),
    async (token) => api.call('POST', unsubscribe, { key: await buildKey(ctx, ['cart:write']), body: { token } }),
  ];
  for (const [index, way] of ways.entries()) {
    const { email } = await buildSavedCart(ctx);
    const token = await unsubscribeTokenOf(ctx, email);
    for (const _ of [1, 2])
      t.like(await way(token), { status: 200, body: { ok: true, status: 'unsubscribed' } }, `way ${index}`);
  }
});

test('POST /cart/unsubscribe rejects unknown tokens and those of another store', async (t) => {
  const {
    api,
    ctx,
    services,
    tenant: { slug: tenant },
  } = t.context;
  const { email } = await buildSavedCart(ctx);
  const token = await unsubscribeTokenOf(ctx, email);
  const invalid = { status: 400, body: { error: 'invalid_or_expired_token' } };
  t.like(await api.call('POST', unsubscribe, { tenant, body: { token: 'nonsense' } }), invalid);
  t.like(await api.call('POST', unsubscribe, { body: { token: 'nonsense' } }), invalid);
  t.like(await api.call('GET', `${unsubscribe}?token=${await unsubscribeTokenOf(ctx, 'nobody@example.com')}`), invalid);
  t.like(await api.call('POST', unsubscribe, { tenant }), {
    status: 400,
    body: { error: 'invalid_request', errors: [{ path: '/token' }] },
  });
  const other = await buildTenant(services);
  t.is((await api.call('POST', unsubscribe, { tenant: other.slug, body: { token } })).status, 400);
  t.is((await api.call('POST', unsubscribe, { key: await buildKey(ctx, ['cart:read']), body: { token } })).status, 403);
  t.is(
    (await api.call('POST', unsubscribe, { tenant, headers: { 'content-type': 'text/plain' }, body: token })).status,
    415,
  );
  t.like((await api.call('GET', `${unsubscribe}?token=${token}`)).body, { status: 'subscribed' });
});

test('GET /cart/unsubscribe escapes the name of the store', async (t) => {
  const { api, ctx, services } = t.context;
  const tenant = await buildTenant(services, { name: '<script>alert("x")</script> & Co' });
  const { email } = await buildSavedCart({ ...ctx, tenant });
  const token = await unsubscribeTokenOf({ ...ctx, tenant }, email);
  const { body } = await api.call('GET', `${unsubscribe}?token=${token}`, { headers: { accept: 'text/html' } });
  t.false(body.includes('<script>'));
  t.true(body.includes('&lt;script&gt;'));
});
