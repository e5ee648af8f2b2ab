import anyTest, { type TestFn } from 'ava';
import { Webhook } from 'standardwebhooks';

import { transact } from '#src/database/transact.ts';
import { presentStore, readStore, saveTenant } from '#src/domain/tenants/index.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildRemindedCart, remindAnytime } from '#test/support/factories/reminders.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { countStates, receiverFor } from '#test/support/factories/webhooks.ts';
import { only } from '#test/support/only.ts';
import { isSignedWith } from '#test/support/receiver.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { auditOf, deedsOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

// First, before another test moves the clock: the library that checks signatures has its own.
test.serial(
  'POST /admin/webhook-endpoints returns the secret once, and the deliveries of a test are listed',
  async (t) => {
    const { ctx, owner, services } = t.context;
    const receiver = await receiverFor(t);
    const made = await owner.post('/webhook-endpoints', { url: receiver.url, events: ['order.*'], concurrency: 2 });
    t.is(made.status, 201);
    const { webhook_endpoint: endpoint, secret } = made.body;
    t.like(endpoint, { url: receiver.url, status: 'enabled', concurrency: 2, rate_per_second: null });

    const tested = await owner.post(`/webhook-endpoints/${endpoint.id}/test`);
    t.is(tested.status, 202);
    await runJobs(services);
    const [request] = receiver.requests;
    t.is(request?.body.type, 'webhook.test');
    t.true(request !== undefined && isSignedWith(secret, request));

    const {
      body: { deliveries },
    } = await owner.get(`/webhook-endpoints/${endpoint.id}/deliveries?state=delivered&type=webhook.test`);
    t.like(deliveries[0], { event_id: tested.body.event_id, state: 'delivered', attempt_count: 1, last_status: 204 });
    const { body } = await owner.get(`/webhook-deliveries/${deliveries[0].id}`);
    t.like(body.delivery, { id: deliveries[0].id });
    const version = request?.body.data.object_version;
    t.like(body.attempts[0], { number: 1, status: 204, object_version: version });
    t.is(body.request.url, receiver.url);
    t.is(body.request.headers['webhook-id'], tested.body.event_id);
    // The delivery itself moved the endpoint on, which is the object of this event.
    t.deepEqual(Object.keys(JSON.parse(body.request.body)), Object.keys(request?.body ?? {}));
    t.like(JSON.parse(body.request.body), { id: tested.body.event_id, type: 'webhook.test', tenant: ctx.tenant.slug });
    t.false(JSON.stringify([await auditOf(ctx), (await owner.get('/webhook-endpoints')).body]).includes(secret));
  },
);

test.serial('an endpoint can subscribe to each type of /admin/webhook-event-types', async (t) => {
  const { owner } = t.context;
  const { event_types: types } = (await owner.get('/webhook-event-types')).body;
  const events = types.map(({ type }: { type: string }) => type);
  const { url } = await receiverFor(t);
  const made = await owner.post('/webhook-endpoints', { url, events });
  t.deepEqual([made.status, made.body.webhook_endpoint?.events], [201, events]);
});

test.serial('every change of an endpoint, up to its removal, has an audit entry', async (t) => {
  const { ctx, owner } = t.context;
  const receiver = await receiverFor(t);
  const {
    body: {
      webhook_endpoint: { id },
      secret,
    },
  } = await owner.post('/webhook-endpoints', { url: receiver.url, events: ['order.paid'] });
  const changed = await owner.patch(`/webhook-endpoints/${id}`, { events: ['order.shipped'], rate_per_second: 5 });
  t.like(changed.body.webhook_endpoint, { url: receiver.url, events: only('order.shipped'), rate_per_second: 5 });
  t.like((await owner.post(`/webhook-endpoints/${id}/disable`)).body.webhook_endpoint, {
    status: 'disabled',
    disabled_reason: 'owner',
  });
  t.is(resultOf(await owner.post(`/webhook-endpoints/${id}/test`)), '400 invalid_request');
  t.is((await owner.post(`/webhook-endpoints/${id}/enable`)).body.webhook_endpoint.status, 'enabled');
  const rotated = await owner.post(`/webhook-endpoints/${id}/rotate-secret`);
  t.regex(rotated.body.secret, /^whsec_/);
  t.not(rotated.body.secret, secret);
  t.deepEqual((await owner.delete(`/webhook-endpoints/${id}`)).body, { ok: true });
  t.is(resultOf(await owner.get(`/webhook-endpoints/${id}`)), '404 not_found');
  t.deepEqual(
    (await deedsOf(ctx)).map((deed) => deed.replace('webhook_endpoint.', '')),
    ['created', 'updated', 'disabled', 'enabled', 'secret_rotated', 'removed'],
  );
  t.false(JSON.stringify(await auditOf(ctx)).includes(rotated.body.secret));
});

test.serial('failed deliveries are sent again, one or all of them', async (t) => {
  const { ctx, clock, owner, services } = t.context;
  const receiver = await receiverFor(t);
  const {
    body: {
      webhook_endpoint: { id },
    },
  } = await owner.post('/webhook-endpoints', { url: receiver.url, events: ['order.paid'] });
  const since = clock.now().toISOString();
  receiver.behave({ status: 500 });
  for (let count = 0; count < 2; count += 1) await owner.post(`/webhook-endpoints/${id}/test`);
  await runJobs(services);
  await owner.post(`/webhook-endpoints/${id}/disable`);
  await owner.post(`/webhook-endpoints/${id}/enable`);
  t.deepEqual(await countStates(ctx, id), { discarded: 2 });

  receiver.behave({ status: 204 });
  const [first] = (await owner.get(`/webhook-endpoints/${id}/deliveries`)).body.deliveries;
  const again = await owner.post(`/webhook-deliveries/${first.id}/redeliver`);
  t.is(again.status, 202);
  t.is(again.body.delivery.state, 'pending');
  await runJobs(services);
  const recovered = await owner.post(`/webhook-endpoints/${id}/recover`, { since });
  t.is(recovered.status, 202);
  t.deepEqual(recovered.body, { recovered: 1 });
  t.is((await deedsOf(ctx)).at(-1), 'webhook_endpoint.recovered');
  await runJobs(services);
  t.deepEqual(await countStates(ctx, id), { delivered: 2 });
  t.deepEqual(placesOf(await owner.post(`/webhook-endpoints/${id}/recover`, {})), ['/since']);
  const reversed = { since, until: new Date(Date.parse(since) - 1).toISOString() };
  t.deepEqual(placesOf(await owner.post(`/webhook-endpoints/${id}/recover`, reversed)), ['/until']);
  t.is((await pagesOf(owner, `/webhook-endpoints/${id}/deliveries?since=${since}`, 'deliveries')).flat().length, 2);
  await owner.post(`/webhook-endpoints/${id}/disable`);
  clock.pass(seconds(5));
  for (const [path, body] of [
    [`/webhook-deliveries/${first.id}/redeliver`, undefined],
    [`/webhook-endpoints/${id}/recover`, { since }],
  ] as const) {
    t.is(resultOf(await owner.post(path, body)), '400 invalid_request', 'it is switched off');
  }
});

test.serial('a URL that may not be called or is in use, and unknown ids, are rejected', async (t) => {
  const { owner } = t.context;
  const receiver = await receiverFor(t);
  const endpoint = { url: receiver.url, events: ['order.paid'] };
  await owner.post('/webhook-endpoints', endpoint);
  t.deepEqual(placesOf(await owner.post('/webhook-endpoints', endpoint)), ['/url']);
  t.deepEqual(placesOf(await owner.post('/webhook-endpoints', { ...endpoint, url: 'https://a:b@shop.example/' })), [
    '/url',
  ]);
  t.deepEqual(placesOf(await owner.post('/webhook-endpoints', { ...endpoint, events: ['order.invented'] })), [
    '/events/0',
  ]);
  for (const verb of ['enable', 'disable', 'test', 'rotate-secret']) {
    t.is(resultOf(await owner.post(`/webhook-endpoints/${newId('whe')}/${verb}`)), '404 not_found', verb);
  }
  t.is(resultOf(await owner.get(`/webhook-endpoints/${newId('whe')}/deliveries`)), '404 not_found');
  t.is(resultOf(await owner.get(`/webhook-deliveries/${newId('whd')}`)), '404 not_found');
  t.is(resultOf(await owner.post(`/webhook-deliveries/${newId('whd')}/redeliver`)), '404 not_found');
});

test.serial('endpoints are listed page by page, and event types with their schemas', async (t) => {
  const { owner } = t.context;
  const receiver = await receiverFor(t);
  for (const path of ['a', 'b', 'c'])
    await owner.post('/webhook-endpoints', { url: `${receiver.url}/${path}`, events: ['order.*'] });
  t.deepEqual(
    (await pagesOf(owner, '/webhook-endpoints', 'webhook_endpoints')).flat().map(({ url }) => url.slice(-1)),
    ['c', 'b', 'a'],
  );
  const { body } = await owner.get('/webhook-event-types');
  const paid = body.event_types.find(({ type }: any) => type === 'order.paid');
  t.is(paid.sample.data.object.order_number, 'ORD-1001');
  t.truthy(paid.schema.properties.data);
});

test('GET /admin/modules returns the enabled modules', async (t) => {
  t.deepEqual((await t.context.owner.get('/modules')).body, {
    modules: { customer_accounts: true, subscriptions: true, gift_cards: true, reviews: true },
  });
});

test('GET /admin/analytics/zero-result-searches lists what shoppers did not find, the most frequent first', async (t) => {
  const { api, ctx, owner, otherOwner } = t.context;
  for (const q of ['Oak  Table', 'lamp', 'oak table'])
    await api.call('GET', `/api/v1/search?${new URLSearchParams({ q })}`, { tenant: ctx.tenant.slug });
  const { body } = await owner.get('/analytics/zero-result-searches');
  t.deepEqual(
    body.searches.map(({ query, count }: any) => [query, count]),
    [
      ['oak table', 2],
      ['lamp', 1],
    ],
  );
  t.is((await owner.get('/analytics/zero-result-searches?limit=1')).body.searches.length, 1);
  t.deepEqual((await otherOwner.get('/analytics/zero-result-searches')).body.searches, []);
});

test('PUT /admin/store replaces what an owner may change, once for each version, and logs no email', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const unset = presentStore(await readStore(ctx));
  await transact(ctx, (ctx) => saveTenant(ctx, { ...unset, mail_from: 'hello@cedar.example' }));
  const { store } = (await owner.get('/store')).body;
  const { slug, owner_email, currency, ...settings } = store;
  for (const mail_from of ['other@cedar.example', 'hello@cedar.example <hello@other.example>', 'Cedar <x@y.example>'])
    t.is(resultOf(await owner.put('/store', { ...settings, mail_from })), '400 invalid_request', mail_from);
  const { name, storefront_url } = (await otherOwner.get('/store')).body.store;
  const taken = { name, storefront_url, mail_from: 'Cedar <hello@cedar.example>' };
  const rejected = await otherOwner.put('/store', taken);
  t.deepEqual(rejected.body.errors, [
    { path: '/mail_from', code: 'refused', detail: 'can only be set by operators; ask them' },
  ]);
  t.is(resultOf(await otherOwner.put('/store', { ...taken, mail_from: null })), '200');
  t.is(slug, ctx.tenant.slug);
  const changed = { ...settings, name: 'Cedar & Daughters', mail_from: 'Cedar <hello@cedar.example>' };
  const { status, body } = await owner.put('/store', { ...changed, slug: 'other', owner_email: 'thief@mail.example' });
  t.is(status, 200);
  t.like(body.store, { slug, owner_email, currency, name: 'Cedar & Daughters', version: store.version + 1 });
  t.is((await owner.get('/store')).body.store.name, 'Cedar & Daughters');
  t.is(resultOf(await owner.put('/store', changed)), '409 version_conflict');
  const wrong = {
    ...changed,
    version: null,
    locale: 'x',
    timezone: 'Moon',
    allowed_origins: ['https://a:b@c.example'],
  };
  t.deepEqual(placesOf(await owner.put('/store', wrong)), ['/locale', '/timezone', '/allowed_origins/0']);
  const log = await auditOf(ctx);
  t.deepEqual(log.at(-1)?.after.changed, ['name', 'mail_from']);
  t.false(/hello@cedar|owner_email/.test(JSON.stringify(log)));
  t.not((await otherOwner.get('/store')).body.store.name, 'Cedar & Daughters');
});

test('PUT /admin/reminder-settings saves when carts are reminded of, and rejects times out of bounds', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
  const standard = { enabled: true, steps: ['1h', '1d', '3d'], quiet_hours: ['21:00', '08:00'], per_address: '16h' };
  t.deepEqual((await owner.get('/reminder-settings')).body, { reminders: standard });
  const wanted = { enabled: false, steps: ['2h'], quiet_hours: null, per_address: '1d' };
  t.deepEqual((await owner.put('/reminder-settings', wanted)).body, { reminders: wanted });
  t.deepEqual((await owner.get('/reminder-settings')).body, { reminders: wanted });
  t.deepEqual(placesOf(await owner.put('/reminder-settings', { steps: ['2h', '1h'] })), ['/steps']);
  t.deepEqual(placesOf(await owner.put('/reminder-settings', { steps: ['30d'] })), ['/steps/0']);
  t.deepEqual((await otherOwner.get('/reminder-settings')).body, { reminders: standard });
  t.deepEqual(await deedsOf(ctx), ['reminders.created']);
});

test('GET /admin/audit-log lists pages and filters by subject', async (t) => {
  const { owner } = t.context;
  const {
    body: { product },
  } = await owner.post('/products', { slug: 'bowl', name: 'Bowl', variants: [{ sku: 'B', price_cents: 1 }] });
  await owner.post('/promo-codes', { code: 'A', type: 'free_shipping' });
  await owner.delete('/products/bowl');
  t.deepEqual(
    (await pagesOf(owner, '/audit-log', 'entries')).flat().map(({ action }) => action),
    ['product.removed', 'promo_code.created', 'product.created'],
  );
  const of = async (query: string) =>
    (await owner.get(`/audit-log?${query}`)).body.entries.map(({ action }: any) => action);
  t.deepEqual(await of('subject_kind=promo_code'), ['promo_code.created']);
  t.deepEqual(await of(`subject_id=${product.id}&limit=1`), ['product.removed']);
});

test('GET /admin/reminders lists decisions and filters by email', async (t) => {
  const { ctx, owner } = t.context;
  await remindAnytime(ctx);
  const { email } = await buildRemindedCart(ctx);
  await buildRemindedCart(ctx);
  t.is((await pagesOf(owner, '/reminders', 'reminders')).flat().length, 6);
  const { body } = await owner.get(`/reminders?email=${email}`);
  t.deepEqual(
    body.reminders.map(({ step, state }: any) => [step, state]),
    [
      [3, 'scheduled'],
      [2, 'scheduled'],
      [1, 'scheduled'],
    ],
  );
});

test('GET /admin/subscriptions lists pages and filters by status, email, product and variant', async (t) => {
  const { ctx, owner } = t.context;
  const first = await buildSubscription(ctx);
  const second = await buildSubscription(ctx, { status: 'canceled' });
  const third = await buildSubscription(ctx, { email: 'bob@example.com' });
  t.deepEqual(
    (await pagesOf(owner, '/subscriptions', 'subscriptions')).flat().map(({ id }) => id),
    [third.id, second.id, first.id],
  );
  const idsOf = async (query: string) =>
    (await owner.get(`/subscriptions?${query}`)).body.subscriptions.map(({ id }: any) => id);
  t.deepEqual(await idsOf('status=canceled'), [second.id]);
  t.deepEqual(await idsOf('email=Bob@Example.com'), [third.id]);
  const { product_id: productId } = (await owner.get(`/subscriptions/${first.id}`)).body.subscription;
  t.deepEqual(await idsOf(`product_id=${productId}`), [first.id]);
  t.deepEqual(await idsOf(`variant_id=${newId('var')}`), []);
  t.like((await owner.get(`/subscriptions/${first.id}`)).body.subscription, { id: first.id, status: 'active' });
  t.is(resultOf(await owner.get(`/subscriptions/${newId('sub')}`)), '404 not_found');
});

const storefront = { name: 'storefront', kind: 'publishable', scopes: ['products:read'] };

test('POST /admin/keys returns the value of a key once, and the key works until it is revoked', async (t) => {
  const { api, ctx, owner } = t.context;
  const made = await owner.post('/keys', storefront);
  t.is(made.status, 201);
  const { key, value } = made.body;
  t.like(key, {
    name: 'storefront',
    kind: 'publishable',
    scopes: only('products:read'),
    revoked_at: null,
    expires_at: null,
  });
  const use = () => api.call('GET', '/api/v1/products', { key: value });
  t.is((await use()).status, 200);
  t.truthy((await owner.post(`/keys/${key.id}/revoke`)).body.key.revoked_at);
  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ action, subject }) => [action, subject.id]),
    [
      ['key.created', key.id],
      ['key.revoked', key.id],
    ],
  );
  t.false(JSON.stringify([log, (await owner.get('/keys')).body]).includes(value));
});

test('the key of a warehouse ships orders and decides returns, and cannot refund, sell, read customers or create keys', async (t) => {
  const { api, ctx, owner } = t.context;
  const scopes = ['admin.orders:read', 'admin.labels:write', 'admin.returns:write'];
  const { body } = await owner.post('/keys', { name: 'warehouse', kind: 'secret', scopes });
  const order = await buildPaidOrder(ctx);
  const call = async (method: string, path: string, sent?: object) =>
    resultOf(await api.call(method, `/api/v1/admin${path}`, { key: body.value, ...(sent && { body: sent }) }));
  t.is(await call('GET', `/orders/${order.id}`), '200');
  t.is(await call('GET', '/labels'), '200');
  const parcel = { carrier: 'usps', tracking_number: '9400111899223197428490' };
  t.is(await call('POST', `/orders/${order.id}/ship`, parcel), '200');
  for (const [method, path, sent] of [
    ['POST', `/orders/${order.id}/refunds`, { amount_cents: 100 }],
    ['POST', `/returns/${newId('ret')}/refund`, {}],
    ['POST', `/integrations/${newId('conn')}/reveal`, {}],
    ['POST', '/gift-cards', { balance_cents: 100 }],
    ['POST', '/products', {}],
    ['GET', '/customers'],
    ['GET', '/audit-log'],
    ['GET', '/keys'],
    ['POST', '/keys', { name: 'own', kind: 'secret', scopes: ['admin:write'] }],
    ['PUT', '/providers/payments', {}],
  ] as const) {
    t.is(await call(method, path, sent), '403 insufficient_scope', path);
  }
});

test('a key may carry its own limit, which is shown and then holds', async (t) => {
  const { api, owner } = t.context;
  const {
    body: { key, value },
  } = await owner.post('/keys', { ...storefront, name: 'slow', kind: 'secret', requests_per_minute: 7 });
  t.is(key.requests_per_minute, 7);
  t.is(
    (await owner.get('/keys')).body.keys.find(({ name }: { name: string }) => name === 'slow').requests_per_minute,
    7,
  );
  t.is((await owner.post('/keys', storefront)).body.key.requests_per_minute, null);
  // Tests run with every limit a thousand times wider.
  t.is((await api.call('GET', '/api/v1/products', { key: value })).headers.get('ratelimit-limit'), '7000');
  for (const requests_per_minute of [0, 1.5, '7', 100_001]) {
    t.deepEqual(placesOf(await owner.post('/keys', { ...storefront, name: 'odd', requests_per_minute })), [
      '/requests_per_minute',
    ]);
  }
});

test('admin keys reject excessive scopes, a taken name and an unknown id', async (t) => {
  const { owner } = t.context;
  await owner.post('/keys', storefront);
  t.deepEqual(placesOf(await owner.post('/keys', storefront)), ['/name']);
  t.deepEqual(
    placesOf(await owner.post('/keys', { ...storefront, name: 'wide', scopes: ['products:read', 'admin:write'] })),
    ['/scopes/1'],
  );
  t.deepEqual(placesOf(await owner.post('/keys', { ...storefront, name: 'odd', scopes: [] })), ['/scopes']);
  t.is(resultOf(await owner.post(`/keys/${newId('key')}/revoke`)), '404 not_found');
});

test('keys are listed page by page, the oldest first', async (t) => {
  const { owner } = t.context;
  for (const name of ['a', 'b', 'c']) await owner.post('/keys', { ...storefront, name });
  const names = (await pagesOf(owner, '/keys', 'keys')).flat().map(({ name }) => name);
  t.deepEqual(names.slice(1), ['a', 'b', 'c']);
});

const wish = { provider: 'bookkeeper', return_url: 'https://owner.example/settings?tab=books' };
const consentUrl = 'https://bookkeeper.example/consent?client_id=cedar';

test('a connection is started, completed by the consent, and its data revealed to the owner', async (t) => {
  const { api, ctx, owner } = t.context;
  const begun = await owner.post('/integrations', { ...wish, consent_url: consentUrl });
  t.is(begun.status, 201);
  const { integration, state, callback_url: callbackUrl, open_url: openUrl } = begun.body;
  t.like(integration, { ...wish, status: 'pending', received_at: null });
  t.deepEqual(Object.fromEntries(new URL(openUrl).searchParams), {
    client_id: 'cedar',
    state,
    redirect_uri: callbackUrl,
  });
  t.deepEqual((await owner.post(`/integrations/${integration.id}/reveal`)).body, { integration, received: null });

  const { pathname } = new URL(callbackUrl);
  const back = await api.call('GET', `${pathname}?state=${state}&code=swordfish`);
  t.is(back.status, 302);
  t.is(back.headers.get('location'), wish.return_url);

  const shown = await owner.get(`/integrations/${integration.id}`);
  t.is(shown.body.integration.status, 'answered');
  t.notRegex(JSON.stringify([shown.body, (await owner.get('/integrations')).body]), new RegExp(`swordfish|${state}`));
  t.deepEqual((await owner.post(`/integrations/${integration.id}/reveal`)).body, {
    ...shown.body,
    received: { code: 'swordfish' },
  });
  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ action, subject }) => [action, subject.id]),
    [
      ['integration.begun', integration.id],
      ['integration.revealed', integration.id],
    ],
  );
  t.notRegex(JSON.stringify(log), new RegExp(`swordfish|${state}`));
});

test('a third party calls the URL and uses the secret that POST /admin/integrations returned', async (t) => {
  const { api, clock, owner } = t.context;
  const { calls, open_url: openUrl } = (await owner.post('/integrations', wish)).body;
  t.is(openUrl, null);
  const { pathname, search } = new URL(calls.url);
  const now = clock.now();
  const headers = {
    'webhook-id': 'msg-1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(calls.secret).sign('msg-1', now, '{}'),
  };
  t.is((await api.call('POST', pathname + search, { body: '{}', headers })).status, 202);
});

test.serial(
  'GET /admin/integrations lists connections page by page, newest first, and an unanswered one as expired',
  async (t) => {
    const { clock, owner } = t.context;
    for (const provider of ['a', 'b', 'c']) await owner.post('/integrations', { ...wish, provider });
    clock.pass(hours(1));
    const listed = (await pagesOf(owner, '/integrations', 'integrations')).flat();
    t.deepEqual(
      listed.map(({ provider, status }) => [provider, status]),
      [
        ['c', 'expired'],
        ['b', 'expired'],
        ['a', 'expired'],
      ],
    );
  },
);

test('POST /admin/integrations rejects other than web URLs, and an unknown connection is not found', async (t) => {
  const { owner } = t.context;
  t.deepEqual(placesOf(await owner.post('/integrations', { ...wish, return_url: 'javascript:alert(1)' })), [
    '/return_url',
  ]);
  t.deepEqual(placesOf(await owner.post('/integrations', { ...wish, consent_url: 'ftp://bookkeeper.example/' })), [
    '/consent_url',
  ]);
  t.deepEqual(placesOf(await owner.post('/integrations', { ...wish, provider: 'A B' })), ['/provider']);
  t.is(resultOf(await owner.get(`/integrations/${newId('conn')}`)), '404 not_found');
  t.is(resultOf(await owner.post(`/integrations/${newId('conn')}/reveal`)), '404 not_found');
});

test.serial('PUT /admin/store with another language looks for words as that language forms them', async (t) => {
  const { api, clock, ctx, owner, services, tenant } = t.context;
  const text = 'Begleitet auf allen Wanderungen.';
  const product = await buildProduct(ctx, { description: text });
  const entry = await buildEntry(ctx, { body: { format: 'markdown', value: text } });
  await runJobs(services);
  const found = async () => {
    const { body } = await api.call('GET', '/api/v1/search?q=Wanderung', { tenant: tenant.slug });
    return body.results.map(({ slug }: { slug: string }) => slug).toSorted();
  };
  t.deepEqual(await found(), []);
  const { store } = (await owner.get('/store')).body;
  const { slug: _slug, owner_email: _email, currency: _currency, ...settings } = store;
  t.is(resultOf(await owner.put('/store', { ...settings, locale: 'de-DE' })), '200');
  clock.pass(minutes(2));
  await runJobs(services);
  t.deepEqual(await found(), [entry.slug, product.slug].toSorted());
});
