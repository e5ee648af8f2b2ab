import anyTest, { type TestFn } from 'ava';

import { readSubscription } from '#src/domain/subscriptions/index.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildReturnableOrder } from '#test/support/factories/returns.ts';
import { bearer, buildSession, linksOf } from '#test/support/factories/sessions.ts';
import { buildSubscription } from '#test/support/factories/subscriptions.ts';
import { fakeMailer } from '#test/support/fakes/mailer.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
const payments = fakePaymentGateway();
useApi(test, { ports: { mailer: fakeMailer(), payments } });

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
  t.deepEqual(payments.calls.filter((call) => call === 'changeSubscription').length, 1);
  t.like(await cancel({ subscription_id: hers.id }), missing);
  t.like(await cancel({ subscription_id: ended.id }), { status: 409, body: { error: 'subscription_canceled' } });
  t.like(await cancel({ subscription_id: 'nonsense' }), { status: 400, body: { error: 'invalid_request' } });
  payments.misfortunes.changeSubscription = [{ failure: 'away' }];
  t.like(await cancel({ subscription_id: mine.id, at_period_end: false }), {
    status: 503,
    body: { error: 'payment_provider_unavailable' },
  });
  t.truthy(await readSubscription(ctx, hers.id));
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
    body: { error: 'invalid_request', errors: [{ path: '/customer_email' }] },
  });
});

test.serial('each list is read with one statement beside those for the session', async (t) => {
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
