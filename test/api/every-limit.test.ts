import anyTest, { type TestFn } from 'ava';

import { limitOf } from '#src/api/lib/limits.ts';
import { routes } from '#src/api/routes.ts';
import { nameOf, send, type Shop, told, useShop } from '#test/support/every-route.ts';

/* One request a window, whatever the limit. */
const test = anyTest as TestFn<Shop>;
useShop(test, { environment: { RATE_LIMIT_SCALE: '0.001' } });

const limited = routes.filter(({ limit }) => limit && limitOf(limit).perShopper);

test('whoever asks a limited route once too often is told how long to wait', async (t) => {
  for (const route of limited) {
    await send(t.context, route, { body: undefined });
    const answer = await send(t.context, route, { body: undefined });
    t.is(told(answer), '429 rate_limited', nameOf(route));
    t.is(answer.headers.get('retry-after'), String(answer.body.retry_after), nameOf(route));
    t.is(answer.headers.get('ratelimit-remaining'), '0', nameOf(route));
  }
});

test('the operations that the specification lists are limited, and those that it excepts never refuse by count', (t) => {
  const names = new Set(limited.map(nameOf));
  const listed = [
    'POST /api/v1/cart', 'GET /api/v1/cart/:id', 'POST /api/v1/cart/:id/items', 'PATCH /api/v1/cart/:id/items/:itemId',
    'DELETE /api/v1/cart/:id/items/:itemId', 'POST /api/v1/cart/apply-promo', 'POST /api/v1/cart/apply-gift-card',
    'GET /api/v1/checkout/:orderId/status', 'GET /api/v1/content/:type', 'GET /api/v1/content/:type/:slug',
  ];
  t.deepEqual(listed.filter((name) => !names.has(name)), []);
  const excepted = [
    'POST /api/v1/billing-portal', 'GET /api/v1/cart/restore', 'POST /api/v1/cart/save', 'GET /api/v1/cart/unsubscribe',
    'POST /api/v1/cart/unsubscribe', 'POST /api/v1/checkout/sessions', 'GET /api/v1/content/announcements/active',
    'POST /api/v1/customer-portal', 'POST /api/v1/customer/magic-link/request',
  ];
  t.deepEqual(excepted.filter((name) => names.has(name)), []);
});
