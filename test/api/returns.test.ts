import anyTest, { type TestFn } from 'ava';

import { listReturns } from '#src/domain/returns/index.ts';
import { buildReturnableOrder } from '#test/support/factories/returns.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test, { environment: { RATE_LIMIT_SCALE: '1000' } });

const path = '/api/v1/returns';
const email = 'ada@example.com';

test("POST /returns needs only the order's number and email", async (t) => {
  const { api, ctx, tenant } = t.context;
  const order = await buildReturnableOrder(ctx);
  const items = [{ variant_id: order.items[0]?.variant_id, quantity: 1, reason: 'broken' }];
  const response = await api.call('POST', path, {
    tenant: tenant.slug,
    body: { order_number: order.order_number, email, items },
  });
  t.is(response.status, 201);
  const { return: made } = response.body;
  t.deepEqual(Object.keys(made), ['id', 'number', 'order_id', 'order_number', 'status', 'items', 'created_at']);
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

  const again = await api.call('POST', path, {
    tenant: tenant.slug,
    body: { order_number: order.order_number, email, items },
  });
  t.is(again.status, 409);
  t.like(again.body, {
    error: 'return_not_allowed',
    reason: 'quantity_exceeded',
    errors: [{ path: '/items/0/quantity' }],
  });
});

test("a wrong number, a wrong email and another store's order get the same response", async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const order = await buildReturnableOrder(ctx);
  const other = await buildTenant(services);
  const items = [{ order_item_id: order.items[0]?.id, quantity: 1 }];
  const responses = [
    await api.call('POST', path, { tenant: tenant.slug, body: { order_number: 'ORD-0', email, items } }),
    await api.call('POST', path, {
      tenant: tenant.slug,
      body: { order_number: order.order_number, email: 'eve@example.com', items },
    }),
    await api.call('POST', path, { tenant: other.slug, body: { order_number: order.order_number, email, items } }),
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
  const fine = { order_number: order.order_number, email, items: [{ order_item_id: id, quantity: 1 }] };
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
    const response = await api.call('POST', path, { tenant: tenant.slug, body });
    t.is(response.status, 400, JSON.stringify(body));
    t.like(response.body, { error: 'invalid_request', errors: [{ path: place }] });
  }
  t.like(await api.call('POST', path, { body: fine }), { status: 400, body: { error: 'missing_tenant' } });
  t.is((await listReturns(ctx, {})).rows.length, 0);
});

test('the same request with the same Idempotency-Key is one return', async (t) => {
  const { api, ctx, tenant } = t.context;
  const order = await buildReturnableOrder(ctx, { items: [{ quantity: 5 }] });
  const body = { order_number: order.order_number, email, items: [{ order_item_id: order.items[0]?.id, quantity: 1 }] };
  const request = () =>
    api.call('POST', path, { tenant: tenant.slug, body, headers: { 'idempotency-key': 'click-1' } });
  const first = await request();
  const second = await request();
  t.is(first.status, 201);
  t.deepEqual(second.body, first.body);
  t.is(second.headers.get('idempotent-replayed'), 'true');
  t.is((await listReturns(ctx, {})).rows.length, 1);
});
