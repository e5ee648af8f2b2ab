import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { holdStock } from '#src/domain/catalog/index.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

test('GET /inventory counts held stock as sold', async (t) => {
  const { api, ctx, tenant } = t.context;
  const {
    slug,
    variants: [tracked, free, late],
  } = await buildProduct(ctx, {
    variants: [
      { sku: 'A', stock: 10, low_stock_at: 3 },
      { sku: 'B', stock: null },
      { sku: 'C', stock: 0, backorder: true },
    ],
  });
  const read = async () => (await api.call('GET', `/api/v1/inventory/${slug}`, { tenant: tenant.slug })).body;
  t.deepEqual(await read(), {
    product_slug: slug,
    variants: [
      { variant_id: tracked?.id, sku: 'A', status: 'in_stock', max_quantity: 10 },
      { variant_id: free?.id, sku: 'B', status: 'in_stock', max_quantity: 999 },
      { variant_id: late?.id, sku: 'C', status: 'backorder', max_quantity: 999 },
    ],
  });
  const hold = (quantity: number) =>
    transact(ctx, (ctx) => holdStock(ctx, [{ variantId: tracked?.id ?? '', quantity }]));
  await hold(7);
  t.like((await read()).variants[0], { status: 'low_stock', max_quantity: 3 });
  await hold(3);
  t.like((await read()).variants[0], { status: 'out_of_stock', max_quantity: 0 });
});

test('GET /inventory returns many variants and leaves out unknown ones', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const first = await buildProduct(ctx);
  const second = await buildProduct(ctx);
  const draft = await buildProduct(ctx, { status: 'draft' });
  const theirs = await buildProduct({ ...ctx, tenant: await buildTenant(services) });
  const ids = [second, draft, theirs, first].map(({ variant }) => variant.id);
  const { status, body } = await api.call('GET', `/api/v1/inventory?variant_ids=${[...ids, 'nonsense'].join(',')}`, {
    tenant: tenant.slug,
  });
  t.is(status, 200);
  t.deepEqual(
    body.variants.map(({ variant_id }: any) => variant_id),
    [second.variant.id, first.variant.id],
  );
});

test('GET /inventory rejects invalid ids', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const many = Array.from({ length: 51 }, (_, index) => `var_${index}`).join(',');
  for (const query of ['', '?variant_ids=', '?variant_ids=a,,b', `?variant_ids=${many}`]) {
    const { status, body } = await api.call('GET', `/api/v1/inventory${query}`, { tenant: tenant.slug });
    t.is(status, 400, query);
    t.is(body.error, 'invalid_request');
  }
  const theirs = await buildProduct({ ...ctx, tenant: await buildTenant(services) });
  for (const slug of [theirs.slug, 'no-such', 'No_Such']) {
    t.is((await api.call('GET', `/api/v1/inventory/${slug}`, { tenant: tenant.slug })).status, 404);
  }
  const key = await buildKey(ctx, ['products:read']);
  const refused = await api.call('GET', '/api/v1/inventory?variant_ids=a', { key });
  t.is(refused.status, 403);
  t.is(refused.body.required_scope, 'inventory:read');
});

test.serial('inventory routes execute one statement', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const { slug, variant } = await buildProduct(ctx);
  await api.call('GET', `/api/v1/inventory/${slug}`, { tenant: tenant.slug });
  for (const path of [`/inventory/${slug}`, `/inventory?variant_ids=${variant.id}`]) {
    const { statements } = await countStatements(services, () =>
      api.call('GET', `/api/v1${path}`, { tenant: tenant.slug }),
    );
    t.is(statements.filter((text) => !/from tenants/.test(text)).length, 1, path);
  }
});
