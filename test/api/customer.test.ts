import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { listReturns } from '#src/domain/returns/index.ts';
import { readSubscription } from '#src/domain/subscriptions/index.ts';
import { setModules } from '#src/domain/tenants/index.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildReturnableOrder } from '#test/support/factories/returns.ts';
import { bearer, buildLink, buildSession, linksOf } from '#test/support/factories/sessions.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { fakeMailer, linkIn } from '#test/support/fakes/mailer.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
const [mailer, payments] = [fakeMailer(), fakePaymentGateway()];
useApi(test, { ports: { mailer, payments } });

const request = '/api/v1/customer/magic-link/request';
const consume = '/api/v1/customer/magic-link/consume';
const me = '/api/v1/customer/me';
const refresh = '/api/v1/customer/refresh';
const signout = '/api/v1/customer/signout';
const invalid = { status: 401, body: { error: 'invalid_session' } };

test.serial('a customer signs in by email, uses and renews the session, and signs out', async (t) => {
  const {
    api,
    ctx,
    services,
    tenant: { slug: tenant },
  } = t.context;
  const { id, email } = await buildCustomer(ctx, { name: 'Ada' });
  t.like(await api.call('POST', request, { tenant, body: { email, redirect_path: '/account/orders' } }), {
    status: 200,
    body: { ok: true },
  });
  await runJobs(services);
  const link = linkIn(mailer.to(email)[0] ?? { text: '' }, '/account/sign-in');
  t.is(link.searchParams.get('redirect_path'), '/account/orders');

  const session = await api.call('POST', consume, { tenant, body: { token: link.searchParams.get('token') } });
  t.is(session.status, 200);
  t.is(session.headers.get('cache-control'), 'no-store');
  const { session_token: token, refresh_token: refreshToken, expires_at, refresh_expires_at, ...rest } = session.body;
  t.deepEqual(rest, { token_type: 'Bearer', expires_in: 900, customer: { id, email, name: 'Ada' } });
  for (const time of [expires_at, refresh_expires_at]) t.regex(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.like(await api.call('POST', consume, { tenant, body: { token: link.searchParams.get('token') } }), {
    status: 400,
    body: { error: 'invalid_or_expired_token' },
  });

  t.like(await api.call('GET', me, { headers: bearer(token) }), {
    status: 200,
    body: { customer: { id, email, name: 'Ada' } },
  });
  t.like(await api.call('GET', me, { tenant, headers: bearer(token) }), { status: 200 });
  const renewed = await api.call('POST', refresh, { headers: bearer(token) });
  t.like(renewed, {
    status: 200,
    body: { token_type: 'Bearer', refresh_token: null, refresh_expires_at, customer: { id } },
  });
  const rotated = await api.call('POST', refresh, { body: { refresh_token: refreshToken } });
  t.is(rotated.status, 200);
  t.not(rotated.body.refresh_token, refreshToken);
  t.is(
    (await api.call('POST', refresh, { tenant, body: { refresh_token: refreshToken } })).body.refresh_token,
    rotated.body.refresh_token,
  );

  t.like(await api.call('POST', signout, { headers: bearer(rotated.body.session_token) }), {
    status: 200,
    body: { ok: true },
  });
  for (const one of [token, renewed.body.session_token, rotated.body.session_token])
    t.like(await api.call('GET', me, { headers: bearer(one) }), invalid);
  t.like(await api.call('POST', refresh, { body: { refresh_token: rotated.body.refresh_token } }), invalid);
});

test.serial('a link request gets the same response for known and unknown customers and beyond the limit', async (t) => {
  const {
    api,
    ctx,
    services,
    tenant: { slug: tenant },
  } = t.context;
  const { email } = await buildCustomer(ctx);
  const unknown = newAddress();
  const responses = await Promise.all(
    [email, unknown, email.toUpperCase()].map((email) => api.call('POST', request, { tenant, body: { email } })),
  );
  t.deepEqual(
    responses.map(({ status, body }) => ({ status, body })),
    Array.from({ length: 3 }, () => ({ status: 200, body: { ok: true } })),
  );
  t.deepEqual(
    responses
      .map(({ headers }) => [...headers.keys()].toSorted())
      .filter((names, _, [first]) => String(names) !== String(first)),
    [],
  );
  await runJobs(services);
  t.is(mailer.to(email).length, 2);
  t.is(mailer.to(unknown).length, 0);
});

test('a link request drops a redirect off the storefront and rejects a malformed challenge', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const { email } = await buildCustomer(ctx);
  for (const redirect_path of ['https://evil.example', '//evil.example', '/\\evil.example', null]) {
    t.is((await api.call('POST', request, { tenant, body: { email, redirect_path } })).status, 200);
  }
  t.deepEqual(
    (await linksOf(ctx, email)).map(({ redirectPath }) => redirectPath),
    [null, null, null, null],
  );
  for (const body of [{ email, code_challenge: 'plain' }, { email: 'nonsense' }, {}]) {
    t.like(await api.call('POST', request, { tenant, body }), { status: 400, body: { error: 'invalid_request' } });
  }
  t.like(await api.call('POST', request, { body: { email } }), { status: 400, body: { error: 'missing_tenant' } });
  t.like(await api.call('POST', consume, { tenant, body: {} }), { status: 400, body: { error: 'invalid_request' } });
});

test("link requests are counted by client network; from a storefront's server, by the forwarded IP", async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const key = await buildKey(ctx, ['cart:write']);
  const email = newAddress();
  const requestLink = (headers: Record<string, string>) =>
    api.call('POST', request, { tenant, body: { email }, headers });
  for (const headers of [
    {},
    { 'x-client-ip': '203.0.113.7' },
    ...['203.0.113.7', '203.0.113.8', '2001:db8:1:2::1', '2001:db8:1:2:ffff::9', 'nonsense', ''].map((ip) => ({
      ...bearer(key),
      'x-client-ip': ip,
    })),
  ])
    t.is((await requestLink(headers)).status, 200);
  const [direct, claimed, first, second, home, neighbour, nonsense, unnamed] = (await linksOf(ctx, email)).map(
    ({ client }) => client,
  );
  t.is(claimed, direct, 'only a server is believed');
  t.is(new Set([direct, first, second, home]).size, 4);
  t.is(neighbour, home);
  t.deepEqual([nonsense, unnamed], [null, null]);
});

test('a token of one store is rejected at another', async (t) => {
  const { api, ctx, services, tenant } = t.context;
  const other = await buildTenant(services);
  const session = await buildSession(ctx);
  await buildCustomer({ ...ctx, tenant: other }, { email: session.customer.email });
  const link = await buildLink(ctx, session.customer.email);

  t.like(await api.call('POST', consume, { tenant: other.slug, body: { token: link } }), {
    status: 400,
    body: { error: 'invalid_or_expired_token' },
  });
  t.like(await api.call('GET', me, { tenant: other.slug, headers: bearer(session.token) }), invalid);
  t.like(await api.call('POST', signout, { tenant: other.slug, headers: bearer(session.token) }), invalid);
  t.like(
    await api.call('POST', refresh, { tenant: other.slug, body: { refresh_token: session.refreshToken } }),
    invalid,
  );
  t.like(await api.call('GET', me, { tenant: tenant.slug, headers: bearer(session.token) }), { status: 200 });
});

test('session routes take sessions only, and other routes take none', async (t) => {
  const {
    api,
    ctx,
    tenant: { slug: tenant },
  } = t.context;
  const { token } = await buildSession(ctx);
  const key = await buildKey(ctx, ['customers:read', 'cart:write']);
  for (const path of [me, '/api/v1/customer-portal', '/api/v1/customer-portal/orders']) {
    for (const options of [
      {},
      { tenant },
      { key },
      { headers: { authorization: token } },
      { headers: bearer('nonsense') },
    ]) {
      t.like(await api.call('GET', path, options), invalid, path);
    }
  }
  t.like(await api.call('GET', '/api/v1/products', { headers: bearer(token) }), {
    status: 401,
    body: { error: 'invalid_key' },
  });
  t.like(await api.call('POST', '/api/v1/cart', { headers: bearer(token), body: {} }), {
    status: 401,
    body: { error: 'invalid_key' },
  });
  for (const body of [
    undefined,
    {},
    { refresh_token: '' },
    { refresh_token: null },
    { refresh_token: 'nonsense' },
    { refresh_token: 1 },
  ]) {
    t.like(await api.call('POST', refresh, { body }), invalid, JSON.stringify(body));
  }
  t.like(await api.call('POST', refresh, { headers: bearer(token), body: { refresh_token: 1 } }), {
    status: 400,
    body: { error: 'invalid_request' },
  });
});

test.serial('a session expires after 15 minutes, and a refresh token then still opens a new one', async (t) => {
  const { api, ctx, clock } = t.context;
  const { token, refreshToken } = await buildSession(ctx);
  clock.pass(minutes(16));
  const expired = { status: 401, body: { error: 'expired_session' } };
  t.like(await api.call('GET', me, { headers: bearer(token) }), expired);
  t.like(await api.call('POST', refresh, { headers: bearer(token) }), expired);
  t.like(await api.call('POST', refresh, { headers: bearer(token), body: { refresh_token: refreshToken } }), {
    status: 200,
  });
});

test.serial(
  'without the module customer_accounts link requests succeed and send nothing, and other routes are rejected',
  async (t) => {
    const { api, clock, ctx, services } = t.context;
    const tenant = await buildTenant(services);
    const open = { ...ctx, tenant };
    const {
      token,
      customer: { email },
      refreshToken,
    } = await buildSession(open);
    const link = await buildLink(open, email);
    await transact(open, (ctx) => setModules(ctx, { customer_accounts: false }));
    // A process caches a store for a second, so a changed switch takes effect a second later.
    const slug = tenant.slug;
    const closed = { status: 403, body: { error: 'module_disabled' } };
    clock.pass(seconds(1));

    t.like(await api.call('POST', request, { tenant: slug, body: { email } }), { status: 200, body: { ok: true } });
    t.like(await api.call('POST', '/api/v1/customer-portal', { tenant: slug, body: { customer_email: email } }), {
      status: 200,
      body: { ok: true },
    });
    t.is((await linksOf(open, email)).length, 2);
    t.like(await api.call('POST', consume, { tenant: slug, body: { token: link } }), closed);
    t.like(await api.call('POST', refresh, { body: { refresh_token: refreshToken } }), closed);
    t.like(await api.call('POST', refresh, { headers: bearer(token) }), closed);
    for (const path of [me, '/api/v1/customer-portal', '/api/v1/customer-portal/returns'])
      t.like(await api.call('GET', path, { headers: bearer(token) }), closed);
    t.like(await api.call('POST', signout, { headers: bearer(token) }), closed);
  },
);

const portal = '/api/v1/customer-portal';
const missing = { status: 404, body: { error: 'not_found' } };
const ada = 'ada@example.com';

test("the customer portal shows what belongs to the customer's email and nothing else", async (t) => {
  const { api, ctx, services } = t.context;
  const { token, customer } = await buildSession(ctx, { email: ada, name: 'Ada' });
  const headers = bearer(token);
  t.like(await api.call('GET', portal, { headers }), {
    status: 200,
    body: { customer: { id: customer.id, email: ada, name: 'Ada' }, orders: [], subscriptions: [], returns: [] },
  });

  const order = await buildReturnableOrder(ctx);
  const open = await buildPaidOrder(ctx, { status: 'pending' });
  const hers = await buildPaidOrder(ctx, { email: 'grace@example.com' });
  const foreign = await buildPaidOrder({ ...ctx, tenant: await buildTenant(services) });
  const subscription = await buildSubscription(ctx, { email: ada });
  await buildSubscription(ctx, { email: 'grace@example.com' });
  const items = [{ order_item_id: order.items[0]?.id, quantity: 1 }];
  const made = await api.call('POST', `${portal}/returns`, {
    headers,
    body: { order_number: order.order_number, items },
  });
  t.like(made, { status: 201, body: { return: { order_id: order.id, status: 'requested' } } });

  const again = await api.call('POST', `${portal}/returns`, {
    headers,
    body: { order_number: order.order_number, items },
  });
  t.like(again, { status: 409, body: { error: 'return_not_allowed' } });

  const { body } = await api.call('GET', portal, { headers });
  t.deepEqual(
    body.orders.map(({ id }: { id: string }) => id),
    [order.id],
  );
  t.deepEqual(
    body.subscriptions.map(({ id }: { id: string }) => id),
    [subscription.id],
  );
  t.deepEqual(body.returns, [made.body.return]);
  for (const list of ['orders', 'subscriptions', 'returns']) {
    t.deepEqual((await api.call('GET', `${portal}/${list}`, { headers })).body, { [list]: body[list], cursor: null });
  }
  t.deepEqual((await api.call('GET', `${portal}/orders/${order.id}`, { headers })).body, { order: body.orders[0] });
  t.is((await api.call('GET', `${portal}/orders/${open.id}`, { headers })).status, 200);
  for (const id of [hers.id, foreign.id, 'nonsense'])
    t.like(await api.call('GET', `${portal}/orders/${id}`, { headers }), missing);
  t.like(
    await api.call('POST', `${portal}/returns`, { headers, body: { order_number: hers.orderNumber, items } }),
    missing,
  );
});

test('the lists of the customer portal are paged', async (t) => {
  const { api, ctx } = t.context;
  const headers = bearer((await buildSession(ctx, { email: ada })).token);
  const ids: string[] = [];
  for (const _ of [1, 2, 3]) ids.unshift((await buildPaidOrder(ctx)).id);
  const first = (await api.call('GET', `${portal}/orders?limit=2`, { headers })).body;
  t.deepEqual(
    first.orders.map(({ id }: { id: string }) => id),
    ids.slice(0, 2),
  );
  const second = (await api.call('GET', `${portal}/orders?limit=2&cursor=${first.cursor}`, { headers })).body;
  t.deepEqual([second.orders.map(({ id }: { id: string }) => id), second.cursor], [ids.slice(2), null]);
  t.like(await api.call('GET', `${portal}/orders?cursor=x`, { headers }), {
    status: 400,
    body: { error: 'invalid_cursor' },
  });
  t.like(await api.call('GET', `${portal}/subscriptions?limit=101`, { headers }), {
    status: 400,
    body: { error: 'invalid_request' },
  });
  t.like(await api.call('GET', `${portal}/returns?cursor=${first.cursor}`, { headers }), {
    status: 400,
    body: { error: 'invalid_cursor' },
  });
});

test('a customer cancels a subscription of their own, at the end of its period by default', async (t) => {
  const { api, ctx } = t.context;
  await buildPaymentAccount(ctx);
  const headers = bearer((await buildSession(ctx, { email: ada })).token);
  const mine = await buildSubscription(ctx, { email: ada });
  const hers = await buildSubscription(ctx, { email: 'grace@example.com' });
  const ended = await buildSubscription(ctx, { email: ada, status: 'canceled' });
  const snapshot = {
    subscriptionId: mine.paymentSubscriptionId,
    tenantId: null,
    orderId: null,
    environment: null,
    state: 'active' as const,
    customerId: 'cus_1',
    email: ada,
    currency: 'USD',
    cancelAtPeriodEnd: true,
    canceledAt: null,
    items: [],
  };
  payments.subscriptions.set(mine.paymentSubscriptionId, snapshot);
  const cancel = (body: object) => api.call('POST', `${portal}/cancel`, { headers, body });

  t.like(await cancel({ subscription_id: mine.id }), { status: 200, body: { subscription: { id: mine.id } } });
  t.deepEqual(
    [...payments.subscriptionChanges].map((key) => key.includes('cancel_at_period_end')),
    [true],
  );
  t.like(await cancel({ subscription_id: hers.id }), missing);
  t.like(await cancel({ subscription_id: ended.id }), { status: 409, body: { error: 'subscription_canceled' } });
  t.like(await cancel({ subscription_id: 'nonsense' }), { status: 400, body: { error: 'invalid_request' } });
  payments.misfortunes.changeSubscription = [{ failure: 'away' }];
  t.like(await cancel({ subscription_id: mine.id, at_period_end: false }), {
    status: 503,
    body: { error: 'payment_provider_unavailable' },
  });
  t.like(await readSubscription(ctx, hers.id), { status: 'active', cancel_at_period_end: false });
});

test('POST /customer-portal emails a sign-in link, and ignores a return_url off the storefront', async (t) => {
  const { api, ctx, tenant } = t.context;
  const request = (return_url?: unknown) =>
    api.call('POST', portal, { tenant: tenant.slug, body: { customer_email: ada, return_url } });
  for (const url of [
    `${tenant.storefrontUrl}/account?tab=returns`,
    'https://evil.example/account',
    'nonsense',
    null,
    undefined,
  ]) {
    t.like(await request(url), { status: 200, body: { ok: true } });
  }
  t.deepEqual(
    (await linksOf(ctx, ada)).map(({ redirectPath }) => redirectPath),
    ['/account?tab=returns', null, null, null, null],
  );
  t.like(await api.call('POST', portal, { tenant: tenant.slug, body: {} }), {
    status: 400,
    body: { error: 'invalid_request', errors: only({ path: '/customer_email' }) },
  });
});

test.serial('each list of the customer portal is read with one statement beside those for the session', async (t) => {
  const { api, ctx, services } = t.context;
  const headers = bearer((await buildSession(ctx, { email: ada })).token);
  const count = async (path: string) => {
    const { statements } = await countStatements(services, () => api.call('GET', path, { headers }));
    // The store itself is looked up once a second.
    return statements.filter((text) => !text.includes('storefront_url')).length;
  };
  for (const [path, statements] of [
    [portal, 5],
    [`${portal}/orders`, 3],
    [`${portal}/subscriptions`, 3],
    [`${portal}/returns`, 3],
  ] as const) {
    t.is(await count(path), statements, path);
  }
});

const returns = '/api/v1/returns';
const buyer = 'ada@example.com';

test("POST /returns needs only the order's number and email", async (t) => {
  const { api, ctx, tenant } = t.context;
  const order = await buildReturnableOrder(ctx);
  const items = [{ variant_id: order.items[0]?.variant_id, quantity: 1, reason: 'broken' }];
  const response = await api.call('POST', returns, {
    tenant: tenant.slug,
    body: { order_number: order.order_number, email: buyer, items },
  });
  t.is(response.status, 201);
  const { return: made } = response.body;
  const fields = ['id', 'number', 'order_id', 'order_number', 'status', 'items', 'version', 'created_at'];
  t.deepEqual(Object.keys(made), fields);
  t.like(made, { number: 'RMA-1001', order_id: order.id, status: 'requested' });
  t.deepEqual(made.items, [
    {
      order_item_id: order.items[0]?.id,
      variant_id: order.items[0]?.variant_id,
      name: 'Oak bowl',
      quantity: 1,
      reason: 'broken',
      note: null,
    },
  ]);

  const again = await api.call('POST', returns, {
    tenant: tenant.slug,
    body: { order_number: order.order_number, email: buyer, items },
  });
  t.is(again.status, 409);
  t.like(again.body, {
    error: 'return_not_allowed',
    reason: 'quantity_exceeded',
    errors: only({ path: '/items/0/quantity' }),
  });
});

test("a wrong number, a wrong email and another store's order get the same response", async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const order = await buildReturnableOrder(ctx);
  const other = await buildTenant(services);
  const items = [{ order_item_id: order.items[0]?.id, quantity: 1 }];
  const responses = [
    await api.call('POST', returns, { tenant: tenant.slug, body: { order_number: 'ORD-0', email: buyer, items } }),
    await api.call('POST', returns, {
      tenant: tenant.slug,
      body: { order_number: order.order_number, email: 'eve@example.com', items },
    }),
    await api.call('POST', returns, {
      tenant: other.slug,
      body: { order_number: order.order_number, email: buyer, items },
    }),
  ];
  for (const { status, body } of responses) {
    t.is(status, 404);
    t.like(body, { error: 'not_found', detail: responses[0]?.body.detail });
  }
});

test('POST /returns rejects an invalid body and names the field', async (t) => {
  const { api, ctx, tenant } = t.context;
  const order = await buildReturnableOrder(ctx);
  const id = order.items[0]?.id;
  const fine = { order_number: order.order_number, email: buyer, items: [{ order_item_id: id, quantity: 1 }] };
  const wrong: [object, string][] = [
    [{ ...fine, order_number: undefined }, '/order_number'],
    [{ ...fine, email: 'ada' }, '/email'],
    [{ ...fine, items: undefined }, '/items'],
    [{ ...fine, items: [] }, '/items'],
    [{ ...fine, items: [{ quantity: 1 }] }, '/items/0/order_item_id'],
    [{ ...fine, order_number: 'ORD-0', items: [{ quantity: 1 }] }, '/items/0/order_item_id'],
    [{ ...fine, items: [{ order_item_id: id }] }, '/items/0/quantity'],
    [{ ...fine, items: [{ order_item_id: id, quantity: 0 }] }, '/items/0/quantity'],
    [{ ...fine, items: [{ order_item_id: id, quantity: '1.5' }] }, '/items/0/quantity'],
    [{ ...fine, items: [{ order_item_id: 'item_x', quantity: 1 }] }, '/items/0/order_item_id'],
    [{ ...fine, items: [{ quantity: 1 }] }, '/items/0/order_item_id'],
    [{ ...fine, items: [{ order_item_id: id, quantity: 1, reason: 'x'.repeat(201) }] }, '/items/0/reason'],
  ];
  for (const [body, place] of wrong) {
    const response = await api.call('POST', returns, { tenant: tenant.slug, body });
    t.is(response.status, 400, JSON.stringify(body));
    t.is(response.body.error, 'invalid_request');
    t.is(response.body.errors[0].path, place);
  }
  t.like(await api.call('POST', returns, { body: fine }), { status: 400, body: { error: 'missing_tenant' } });
  t.is((await listReturns(ctx, {})).rows.length, 0);
});

test('the same request with the same Idempotency-Key is one return', async (t) => {
  const { api, ctx, tenant } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [{ quantity: 5 }] });
  const body = {
    order_number: order.order_number,
    email: buyer,
    items: [{ order_item_id: order.items[0]?.id, quantity: 1 }],
  };
  const request = () =>
    api.call('POST', returns, { tenant: tenant.slug, body, headers: { 'idempotency-key': 'click-1' } });
  const first = await request();
  const second = await request();
  t.is(first.status, 201);
  t.deepEqual(second.body, first.body);
  t.is(second.headers.get('idempotent-replayed'), 'true');
  t.is((await listReturns(ctx, {})).rows.length, 1);
});
