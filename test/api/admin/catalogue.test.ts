import anyTest, { type TestFn } from 'ava';

import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { auditOf, deedsOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

const bowl = {
  slug: 'oak-bowl',
  name: 'Oak bowl',
  status: 'draft',
  tags: ['wood'],
  variants: [
    { sku: 'BOWL-S', price_cents: 3800, stock: 5 },
    { sku: 'BOWL-L', price_cents: 6200, weight_oz: 24 },
  ],
};

test('admin products: a draft is created, visible to the owner only, published and removed', async (t) => {
  const { api, owner, tenant } = t.context;
  const made = await owner.post('/products', bowl);
  t.is(made.status, 201);
  t.like(made.body.product, { slug: 'oak-bowl', status: 'draft', price_cents: 3800, currency: 'USD', version: 1 });
  t.like(made.body.product.variants[0], {
    sku: 'BOWL-S',
    stock: 5,
    stock_held: 0,
    stock_status: 'in_stock',
    ships: true,
  });
  t.is((await api.call('GET', '/api/v1/products/oak-bowl', { tenant: tenant.slug })).status, 404);
  t.deepEqual((await owner.get('/products/oak-bowl')).body, made.body);

  const { slug: _, ...unnamed } = {
    ...bowl,
    status: 'published',
    variants: [{ sku: 'BOWL-S', price_cents: 4000, stock: 9 }],
  };
  const saved = await owner.put('/products/oak-bowl', unnamed);
  t.like(saved.body.product, { id: made.body.product.id, status: 'published', price_cents: 4000 });
  t.deepEqual(
    saved.body.product.variants.map(({ sku, stock }: any) => [sku, stock]),
    [['BOWL-S', 5]],
  );

  t.deepEqual((await owner.delete('/products/oak-bowl')).body, { ok: true });
  t.is(resultOf(await owner.get('/products/oak-bowl')), '404 not_found');
  t.is(resultOf(await owner.delete('/products/oak-bowl')), '404 not_found');
  t.is((await owner.post('/products', bowl)).body.product.id, made.body.product.id, 'it comes back under its id');
});

test('PUT /admin/products/:slug changes nothing when a product is sent back as it was read', async (t) => {
  const { ctx, owner } = t.context;
  const {
    body: { product },
  } = await owner.post('/products', { ...bowl, images: [{ url: 'https://cdn.example/1.jpg' }] });
  const again = await owner.put('/products/oak-bowl', product);
  t.deepEqual(again.body.product, product);
  t.deepEqual(await deedsOf(ctx), ['product.created']);
});

test('admin products: each change is recorded in the audit log with its key, before and after', async (t) => {
  const { ctx, owner } = t.context;
  const {
    body: { product },
  } = await owner.post('/products', bowl);
  await owner.put('/products/oak-bowl', { ...product, name: 'Bowl' });
  await owner.delete('/products/oak-bowl');
  const [created, updated, removed] = await auditOf(ctx);
  t.like(created, { action: 'product.created', subject: { kind: 'product', id: product.id }, before: null });
  t.is(created?.actor.kind, 'key');
  t.truthy(created?.request_id);
  t.is(updated?.before.name, 'Oak bowl');
  t.like(updated?.after, { name: 'Bowl', changed: ['name'] });
  t.like(removed, { action: 'product.removed', after: null });
});

test('POST /admin/products rejects a used slug, a SKU of another product and an invalid body', async (t) => {
  const { ctx, owner } = t.context;
  await owner.post('/products', bowl);
  const taken = await owner.post('/products', bowl);
  t.is(resultOf(taken), '400 invalid_request');
  t.deepEqual(placesOf(taken), ['/slug']);
  t.is(resultOf(await owner.post('/products', { ...bowl, slug: 'other' })), '400 invalid_request');
  t.deepEqual(placesOf(await owner.post('/products', { ...bowl, variants: [] })), ['/variants']);
  t.is(resultOf(await owner.put('/products/nothing', bowl)), '404 not_found');
  t.deepEqual(await deedsOf(ctx), ['product.created']);
});

test('POST /admin/products rejects one of two concurrent requests for the same slug', async (t) => {
  const responses = await Promise.all([1, 2, 3].map(() => t.context.owner.post('/products', bowl)));
  t.deepEqual(responses.map(resultOf).toSorted(), ['201', '400 invalid_request', '400 invalid_request']);
});

test('GET /admin/products lists pages including drafts, and filters by status', async (t) => {
  const { ctx, owner } = t.context;
  for (const slug of ['a', 'b', 'c']) await buildProduct(ctx, { slug });
  await owner.post('/products', bowl);
  const pages = await pagesOf(owner, '/products', 'products');
  t.deepEqual(
    pages.map((page) => page.map(({ slug }) => slug)),
    [
      ['oak-bowl', 'c'],
      ['b', 'a'],
    ],
  );
  const drafts = await owner.get('/products?status=draft');
  t.deepEqual(
    drafts.body.products.map(({ slug }: any) => slug),
    ['oak-bowl'],
  );
});

test('PUT /admin/stock sets and adjusts stock, all or nothing, and records each change', async (t) => {
  const { ctx, owner } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ sku: 'CUP', stock: 10 }] });
  const other = await buildProduct(ctx, { variants: [{ sku: 'JUG', stock: 3 }] });
  const set = await owner.put('/stock', {
    items: [
      { variant_id: variant.id, quantity: 7, if_quantity: 10 },
      { sku: 'JUG', change: -1 },
    ],
  });
  t.deepEqual(set.body.items, [
    { variant_id: variant.id, sku: 'CUP', quantity: 7, held: 0 },
    { variant_id: other.variant.id, sku: 'JUG', quantity: 2, held: 0 },
  ]);
  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ subject, before, after }) => [subject.id, before.quantity, after.quantity]),
    [
      [variant.id, 10, 7],
      [other.variant.id, 3, 2],
    ],
  );

  const refused = async (...items: object[]) => resultOf(await owner.put('/stock', { items }));
  t.is(
    await refused({ sku: 'JUG', quantity: 9 }, { sku: 'CUP', quantity: 9, if_quantity: 10 }),
    '409 version_conflict',
  );
  t.is(await refused({ sku: 'JUG', change: -3 }), '409 insufficient_stock');
  t.is(await refused({ sku: 'NONE', quantity: 1 }), '404 not_found');
  t.is(
    await refused({ sku: 'JUG', quantity: 1 }, { variant_id: other.variant.id, quantity: 2 }),
    '400 invalid_request',
  );
  t.deepEqual(placesOf(await owner.put('/stock', { items: [{ sku: 'JUG', quantity: 1 }, { sku: 'CUP' }] })), [
    '/items/1/quantity',
  ]);
  t.deepEqual(placesOf(await owner.put('/stock', { items: [{ quantity: 1 }] })), ['/items/0/sku']);
  t.is((await stockOf(ctx, other.variant.id)).stock, 2);
  t.is((await owner.put('/stock', { items: [{ sku: 'CUP', quantity: null }] })).body.items[0].quantity, null);
});
