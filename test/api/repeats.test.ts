import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { listKeys, revokeKey } from '#src/domain/tenants/index.ts';
import { seconds } from '#src/lib/duration.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

// A read that is repeated within a second gets the cached reply. Here every request is sent twice.
const test = anyTest as TestFn<ApiContext>;
useApi(test);

const products = '/api/v1/products';

test.serial('a repeated read gets the cached reply, byte for byte, and counts against the limit', async (t) => {
  const { api, ctx, tenant, services, clock } = t.context;
  await buildEntry(ctx, { slug: 'care' });
  const request = (headers = {}) => api.call('GET', '/api/v1/content/article/care', { tenant: tenant.slug, headers });
  await clock.standStill(async () => {
    const first = await request();
    const { statements, result: again } = await countStatements(services, () => request());
    t.deepEqual(statements, []);
    t.is(again.status, 200);
    t.deepEqual(again.body, first.body);
    for (const name of ['content-type', 'content-length', 'cache-control', 'vary', 'etag'])
      t.is(again.headers.get(name), first.headers.get(name), name);
    t.not(again.headers.get('x-request-id'), first.headers.get('x-request-id'));
    t.is(Number(again.headers.get('ratelimit-remaining')), Number(first.headers.get('ratelimit-remaining')) - 1);

    const known = await request({ 'if-none-match': String(first.headers.get('etag')) });
    t.is(known.status, 304);
    t.is(known.body, '');
    const head = () =>
      fetch(`${api.url}/api/v1/content/article/care`, { method: 'HEAD', headers: { 'x-tenant-slug': tenant.slug } });
    for (const { status, headers } of [await head(), await head()]) {
      t.is(status, 200);
      t.is(headers.get('content-length'), first.headers.get('content-length'));
    }
  });
});

test.serial('a cached reply is used only for the same store and key', async (t) => {
  const { api, ctx, tenant, services, clock } = t.context;
  const theirs = await buildTenant(services);
  await buildProduct(ctx, { slug: 'ours' });
  await buildProduct({ ...ctx, tenant: theirs }, { slug: 'theirs' });
  const key = await buildKey(ctx, ['products:read']);
  const other = await buildKey(ctx, ['cart:write']);
  await clock.standStill(async () => {
    for (let time = 0; time < 3; time += 1) {
      const slugs = async (options: object) =>
        (await api.call('GET', products, options)).body.products.map(({ slug }: { slug: string }) => slug);
      t.deepEqual(await slugs({ tenant: tenant.slug }), ['ours']);
      t.deepEqual(await slugs({ tenant: theirs.slug }), ['theirs']);
      t.deepEqual(await slugs({ key }), ['ours']);
      const requests = [{}, { key: other }, { key: `${key}x` }, { key, tenant: theirs.slug }].map((options) =>
        api.call('GET', products, options),
      );
      t.deepEqual(
        (await Promise.all(requests)).map(({ status }) => status),
        [400, 403, 401, 400],
      );
    }
    const stored = await api.call('GET', products, { key });
    t.is(stored.headers.get('cache-control'), 'private, max-age=0, must-revalidate');
  });
});

test.serial('a cached reply is checked against the origin of each request', async (t) => {
  const { api, services, clock } = t.context;
  const { slug } = await buildTenant(services, { allowedOrigins: ['https://shop.example'] });
  const request = (headers = {}) => api.call('GET', products, { tenant: slug, headers });
  await clock.standStill(async () => {
    await request();
    const own = await request({ origin: 'https://shop.example' });
    t.is(own.status, 200);
    t.is(own.headers.get('access-control-allow-origin'), 'https://shop.example');
    t.is((await request({ origin: 'https://elsewhere.example' })).body.error, 'origin_not_allowed');
    t.is((await request()).headers.get('access-control-allow-origin'), null);
  });
});

test.serial('a revoked key is rejected within five seconds despite cached replies', async (t) => {
  const { api, ctx, clock } = t.context;
  const key = await buildKey(ctx, ['products:read']);
  const request = async () => (await api.call('GET', products, { key })).status;
  await clock.standStill(async () => {
    t.is(await request(), 200);
    const {
      rows: [row],
    } = await listKeys(ctx, { limit: 1 });
    await transact(ctx, (ctx) => revokeKey(ctx, { id: String(row?.id) }));
    const found: number[] = [];
    for (let second = 0; second < 5; second += 1) {
      clock.pass(seconds(1));
      found.push(await request());
    }
    t.is(found.at(-1), 401);
  });
});

test.serial('a cached reply is counted in the metrics of its route', async (t) => {
  const { api, tenant, services, clock } = t.context;
  const counted = async () => {
    const series = await services.metrics.series();
    return series.get('storefront_request_seconds_count{method="GET",route="/api/v1/storefront",status="200"}') ?? 0;
  };
  const before = await counted();
  await clock.standStill(async () => {
    for (let time = 0; time < 3; time += 1) await api.call('GET', '/api/v1/storefront', { tenant: tenant.slug });
  });
  t.is(await counted(), before + 3);
});
