import anyTest, { type TestFn } from 'ava';
import type { Route } from '#src/api/lib/define-route.ts';
import { emailLimitOf, limitOf } from '#src/api/lib/limits.ts';
import { openApiDocument } from '#src/api/openapi/openapi-document.ts';
import { routes } from '#src/api/routes.ts';
import { scopes } from '#src/domain/tenants/api-key.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { nameOf, resultOf, type StoreContext, send, useStore } from '#test/support/every-route.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildSession } from '#test/support/factories/sessions.ts';
import { buildStaffSession } from '#test/support/factories/staff.ts';

/* One request a window, whatever the limit. */
const test = anyTest as TestFn<StoreContext>;
useStore(test, { environment: { RATE_LIMIT_SCALE: '0.001' } });

const ofCallers = routes.filter(({ audience }) => audience.kind !== 'inbound');
const hasCeiling = ({ limit }: Route) => limit !== undefined && limitOf(limit).perStore !== undefined;
const rated = ofCallers.filter((route) => route.limit && !hasCeiling(route));
const signingOut = ['POST /api/v1/customer/signout', 'POST /api/v1/admin/session/sign-out'];
const named = (name: string) => routes.find((route) => nameOf(route) === name);

test('every route has a limit except the signed webhooks of providers', (t) => {
  t.deepEqual(ofCallers.filter(({ limit, emails }) => !limit && !emails).map(nameOf), []);
  t.deepEqual(
    routes.filter((route) => !ofCallers.includes(route) && route.limit),
    [],
  );
});

test('every limited route responds 429 beyond its limit and says how long to wait', async (t) => {
  const key = await buildKey(t.context.ctx, scopes, 'secret', 1);
  // A session that has ended cannot be used twice: its own test follows.
  for (const route of rated.filter((route) => !signingOut.includes(nameOf(route)))) {
    const request = () => send(t.context, route, { body: undefined, ...(route.limit === 'owner' && { key }) });
    const first = await request();
    const isCountedAlone = route.limit !== 'owner' && !(route.limit && limitOf(route.limit).protects);
    if (isCountedAlone) t.not(first.status, 429, `${nameOf(route)} is not closed by others`);
    const response = await request();
    t.is(resultOf(response), '429 rate_limited', nameOf(route));
    t.is(response.headers.get('retry-after'), String(response.body.retry_after), nameOf(route));
    t.is(response.headers.get('ratelimit-remaining'), '0', nameOf(route));
  }
});

test('signing out rejects one of several requests that arrive together', async (t) => {
  for (const route of rated.filter((route) => signingOut.includes(nameOf(route)))) {
    let limited: ApiResponse | undefined;
    while (!limited) {
      const { token: key } = await buildSession(t.context.ctx);
      const staff = { ...t.context.staff, ...(await buildStaffSession(t.context.ctx)).headers };
      const responses = await Promise.all([1, 2, 3].map(() => send({ ...t.context, session: key, staff }, route)));
      limited = responses.find((response) => resultOf(response) === '429 rate_limited');
    }
    t.truthy(limited.headers.get('retry-after'), nameOf(route));
  }
});

test('an operation that is not limited in normal use responds 503 to a flood of valid requests', async (t) => {
  const { tenant } = t.context;
  const state = tenant.id.slice(-26) + 'x'.repeat(43);
  const request = (route: Route) =>
    send(t.context, route, {
      ...(route.query && 'state' in route.query.properties && { query: `?state=${state}` }),
      // The examples of tokens are another store's.
      ...(route.audience.kind === 'token' && route.body && { body: {} }),
    });
  for (const route of ofCallers.filter(hasCeiling)) {
    let refused: ApiResponse | undefined;
    while (!refused)
      refused = (await Promise.all([request(route), request(route), request(route)])).find(
        (response) => resultOf(response) === '503 service_unavailable',
      );
    t.is(refused.headers.get('retry-after'), String(refused.body.retry_after), nameOf(route));
  }
});

test('the API document describes the limits of every route', (t) => {
  const { info, paths } = openApiDocument(routes, { publicUrl: 'https://api.example' });
  // The limit of a key, which is the only one of an owner's operation, is said once.
  t.regex(info.description, /`requests_per_minute`/);
  for (const route of ofCallers) {
    const operation = paths[route.path.replaceAll(/:(\w+)/g, '{$1}')]?.[route.method];
    const text = operation?.description ?? '';
    const limit = route.limit && limitOf(route.limit);
    const isSession = route.audience.kind === 'session' || route.audience.kind === 'staff';
    t.false(isSession && /secret key/.test(JSON.stringify(operation)), nameOf(route));
    for (const number of [limit?.perShopper, isSession ? undefined : limit?.perSecretKey, limit?.perStore]) {
      if (number !== undefined) t.regex(text, new RegExp(`\\b${number.toLocaleString('en-US')}\\b`), nameOf(route));
    }
    t.is(/counted together/.test(text), limit?.protects !== undefined, nameOf(route));
    if (hasCeiling(route)) t.regex(text, /503 `service_unavailable`/, nameOf(route));
    if (route.emails)
      t.regex(text, new RegExp(`\\b${emailLimitOf(route.emails).perRecipient} to one recipient`), nameOf(route));
    for (const { field } of route.guesses ?? []) t.true(text.includes(`\`${field}\``), nameOf(route));
    const may429 =
      route.guesses !== undefined ||
      (route.limit !== undefined && !hasCeiling(route)) ||
      route.errors?.includes('rate_limited');
    t.is('429' in (operation?.responses ?? {}), Boolean(may429), nameOf(route));
    t.true('default' in (operation?.responses ?? {}), nameOf(route));
  }
});

test('the limits have the documented numbers', (t) => {
  const perShopper: readonly (readonly [number, readonly string[]])[] = [
    [
      300,
      [
        'GET /api/v1/products',
        'GET /api/v1/products/:slug',
        'GET /api/v1/products/:slug/images',
        'GET /api/v1/products/:slug/reviews',
        'GET /api/v1/search',
        'GET /api/v1/inventory',
        'GET /api/v1/inventory/:slug',
        'GET /api/v1/content/:type',
        'GET /api/v1/content/:type/:slug',
        'GET /api/v1/storefront',
        'GET /api/v1/partners/:code',
        'GET /api/v1/cart/:id',
      ],
    ],
    [
      120,
      [
        'POST /api/v1/cart',
        'POST /api/v1/cart/:id/items',
        'PATCH /api/v1/cart/:id/items/:itemId',
        'DELETE /api/v1/cart/:id/items/:itemId',
        'GET /api/v1/checkout/:orderId/status',
        'POST /api/v1/analytics/events',
      ],
    ],
    [60, ['POST /api/v1/shipping/rates']],
    [30, ['POST /api/v1/customer/refresh']],
    [20, ['POST /api/v1/cart/apply-promo', 'GET /api/v1/orders/lookup', 'GET /api/v1/orders/:orderId']],
    [10, ['POST /api/v1/cart/apply-gift-card', 'POST /api/v1/customer/magic-link/consume']],
    [
      5,
      [
        'POST /api/v1/leads',
        'POST /api/v1/leads/quiz',
        'POST /api/v1/leads/waitlist',
        'POST /api/v1/leads/wholesale',
        'POST /api/v1/wholesale',
        'POST /api/v1/products/:slug/reviews',
        'POST /api/v1/returns',
        'POST /api/v1/customer-portal/returns',
        'POST /api/v1/partners/track',
        'POST /api/v1/partners/apply',
      ],
    ],
  ];
  for (const [count, names] of perShopper) {
    for (const name of names) {
      const limit = named(name)?.limit;
      t.like(limit && limitOf(limit), { perShopper: count, seconds: 60 }, name);
    }
  }
  const excepted = [
    'POST /api/v1/billing-portal',
    'GET /api/v1/cart/restore',
    'POST /api/v1/cart/restore',
    'POST /api/v1/cart/save',
    'GET /api/v1/cart/unsubscribe',
    'POST /api/v1/cart/unsubscribe',
    'POST /api/v1/checkout/sessions',
    'POST /api/v1/subscriptions/gift-checkout',
    'GET /api/v1/content/announcements/active',
  ];
  for (const name of excepted) {
    const limit = named(name)?.limit;
    t.deepEqual(limit && limitOf(limit), { perShopper: 30, perStore: 500, seconds: 1 }, name);
  }
  for (const name of ['POST /api/v1/customer-portal', 'POST /api/v1/customer/magic-link/request']) {
    const { limit, emails } = named(name) ?? {};
    t.is(limit, undefined, name);
    t.deepEqual(
      emails && emailLimitOf(emails),
      { perShopper: 30, perRecipient: 5, isSilent: true, seconds: 3600 },
      name,
    );
  }
});
