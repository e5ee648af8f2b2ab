import anyTest, { type TestFn } from 'ava';
import type { Route } from '#src/api/lib/define-route.ts';
import { createLimiter } from '#src/api/lib/limiter.ts';
import { routes } from '#src/api/routes.ts';
import { read } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { linksOf } from '#test/support/factories/sessions.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

/* A tenth of the documented limits: reminders for 20 carts of a client, 3 of an address; 2 places on a waiting list. */
const test = anyTest as TestFn<ApiContext>;
useApi(test, { environment: { RATE_LIMIT_SCALE: '0.1', TRUSTED_PROXY_HOPS: '1' } });

const from = (index: number) => ({ 'x-forwarded-for': `198.51.100.${index}` });
const routeAt = (path: string): Route => {
  const route = routes.find((route) => route.path === path && route.emails);
  if (!route) throw new Error(`No route at ${path} causes emails.`);
  return route;
};

test('POST /cart/save beyond the limit of a recipient responds the same, and stores nothing', async (t) => {
  const { api, ctx, tenant } = t.context;
  const save = (email: string, index: number) =>
    api.call('POST', '/api/v1/cart/save', {
      tenant: tenant.slug,
      headers: from(index),
      body: { email, items: [{ product_slug: 'oak-bowl', quantity: 1 }] },
    });
  for (let index = 0; index < 6; index += 1) {
    const response = await save(index % 2 === 0 ? 'ada@example.com' : 'ADA@Example.com', index);
    t.like(response, { status: 200, body: { ok: true, reminders: 'scheduled' } });
    t.regex(response.body.saved_cart_id, /^scart_/);
  }
  t.is((await save('grace@example.com', 9)).status, 200);
  const rows = await read<{ email: string; carts: number; steps: number }>(
    ctx,
    sql`
    select s.email, count(distinct s.id)::int as carts, count(r.id)::int as steps from saved_carts s
    left join reminder_steps r on r.tenant_id = s.tenant_id and r.saved_cart_id = s.id
    where s.tenant_id = ${ctx.tenant.id} group by s.email order by s.email`,
  );
  t.deepEqual(rows, [
    { email: 'ada@example.com', carts: 3, steps: 9 },
    { email: 'grace@example.com', carts: 1, steps: 3 },
  ]);
});

test('emails are counted per client, address and store, up to the first exhausted limit', async (t) => {
  const { services } = t.context;
  const limiter = createLimiter(services);
  const tenant = await buildTenant(services);
  const route = routeAt('/api/v1/cart/save');
  const may = (ip: string | undefined, recipient: string, key?: { kind: 'secret' }) =>
    limiter.limitEmail(
      route,
      { visitor: { tenant, key: key as never }, ip, server: undefined },
      recipient,
      async (mayEmail) => ({
        value: mayEmail,
        causesEmail: true,
      }),
    );
  const results = await Promise.all(
    Array.from({ length: 40 }, (_, index) => may('203.0.113.7', `s${index}@example.com`)),
  );
  t.is(results.filter(Boolean).length, 20);
  t.false(await may('203.0.113.7', 'more@example.com'));
  for (let index = 0; index < 3; index += 1)
    t.true(await may(`198.51.100.${index}`, 'more@example.com'), 'what was refused did not count');
  t.false(await may('198.51.100.9', 'more@example.com'));

  // 2,000 a store at this scale, of which 23 are counted.
  const crowd = await Promise.all(
    Array.from({ length: 2000 }, (_, index) => may(`10.${index >> 8}.${index & 255}.1`, `c${index}@example.com`)),
  );
  t.is(crowd.filter(Boolean).length, 2000 - 23);
  t.true(await may(undefined, 'server@example.com', { kind: 'secret' }), "the store's own server is not anonymous");
});

test('POST /leads/waitlist counts only new entries, and responds 429 beyond the limit of a recipient', async (t) => {
  const { api, ctx, tenant } = t.context;
  const wait = (slug: string, index: number) =>
    api.call('POST', '/api/v1/leads/waitlist', {
      tenant: tenant.slug,
      headers: from(index),
      body: { email: 'ada@example.com', product_slug: slug },
    });
  const { slug: first } = await buildProduct(ctx);
  const { slug: second } = await buildProduct(ctx);
  const { slug: third } = await buildProduct(ctx);
  for (let index = 0; index < 5; index += 1) t.is((await wait('no-such-bowl', index)).body.error, 'unknown_product');
  t.is((await wait(first, 10)).status, 201);
  for (let index = 0; index < 5; index += 1) t.is((await wait(first, 20 + index)).status, 201, 'it waits already');
  t.is((await wait(second, 30)).status, 201);
  const rejected = await wait(third, 40);
  t.like(rejected, { status: 429, body: { error: 'rate_limited' } });
  t.true(rejected.body.retry_after > 3600);
  t.regex(rejected.body.detail, /^Too many requests\. Try again in \d+ hours\.$/);
  t.is(rejected.headers.get('ratelimit-limit'), '2');
  t.is(rejected.headers.get('ratelimit-remaining'), '0');
  t.is(rejected.headers.get('ratelimit-reset'), rejected.headers.get('retry-after'));
});

test('POST /cart/save that schedules no reminder does not count against the address', async (t) => {
  const { api, tenant } = t.context;
  const save = (consent: boolean, index: number) =>
    api.call('POST', '/api/v1/cart/save', {
      tenant: tenant.slug,
      headers: from(index),
      body: { email: 'ada@example.com', consent, items: [{ product_slug: 'oak-bowl', quantity: 1 }] },
    });
  for (let index = 0; index < 6; index += 1) t.is((await save(false, index)).body.reminders, 'not_scheduled');
  for (let index = 0; index < 3; index += 1) {
    const { body } = await save(true, 10 + index);
    t.regex(body.saved_cart_id, /^scart_/);
  }
  const [{ count } = { count: 0 }] = await read<{ count: number }>(
    t.context.ctx,
    sql`select count(distinct saved_cart_id)::int as count from reminder_steps where tenant_id = ${tenant.id}`,
  );
  t.is(count, 3);
});

test('a flood of link requests gets the same response and does not reach the database', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { email } = await buildCustomer(ctx);
  const request = (path: string, body: object) =>
    api.call('POST', path, { tenant: tenant.slug, headers: from(1), body });
  for (let index = 0; index < 10; index += 1) {
    t.like(await request('/api/v1/customer/magic-link/request', { email }), { status: 200, body: { ok: true } });
    t.like(await request('/api/v1/customer-portal', { customer_email: email }), { status: 200, body: { ok: true } });
  }
  t.is((await linksOf(ctx, email)).length, 1);
});
