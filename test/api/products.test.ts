import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { decideReview, holdStock, removeProduct, saveProduct, submitReview } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

test('GET /products/:slug returns a product with its variants', async (t) => {
  const { api, ctx, tenant } = t.context;
  const product = await buildProduct(ctx, {
    name: 'Oak bowl',
    description: 'Turned from one piece.',
    category: 'kitchen',
    tags: ['wood', 'gift'],
    images: [{ url: 'https://cdn.example/oak.jpg', alt: 'A bowl', width: 1200, height: 900 }],
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month'],
    variants: [
      {
        sku: 'BOWL-L',
        name: 'Large',
        options: { size: 'L' },
        price_cents: 6200,
        compare_at_cents: 7000,
        weight_oz: 34.5,
        stock: 2,
        low_stock_at: 3,
      },
      { sku: 'BOWL-S', name: 'Small', price_cents: 3800, subscription_price_cents: 3400, stock: 0 },
      { sku: 'BOWL-X', name: 'Extra', price_cents: 9900, weight_oz: null, stock: 0, backorder: true },
    ],
  });
  const { status, body } = await api.call('GET', `/api/v1/products/${product.slug}`, { tenant: tenant.slug });
  t.is(status, 200);
  const { updated_at, variants, ...shown } = body.product;
  t.regex(updated_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  t.deepEqual(shown, {
    id: product.id,
    slug: product.slug,
    name: 'Oak bowl',
    description: 'Turned from one piece.',
    category: 'kitchen',
    tags: ['wood', 'gift'],
    images: [{ url: 'https://cdn.example/oak.jpg', alt: 'A bowl', width: 1200, height: 900, position: 0 }],
    price_cents: 3800,
    compare_at_cents: null,
    currency: 'USD',
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month'],
    rating: { count: 0, average: 0 },
    in_stock: true,
  });
  t.deepEqual(variants[0], {
    id: product.variants[0]?.id,
    sku: 'BOWL-L',
    name: 'Large',
    options: { size: 'L' },
    price_cents: 6200,
    subscription_price_cents: 3400,
    weight_oz: 34.5,
    stock_status: 'low_stock',
  });
  t.deepEqual(
    variants.map(({ stock_status }: any) => stock_status),
    ['low_stock', 'out_of_stock', 'backorder'],
  );
});

test('GET /products/:slug compares a price with a higher one alone', async (t) => {
  const { api, ctx, tenant } = t.context;
  for (const [compareAt, shown] of [
    [3800, null],
    [3000, null],
    [3801, 3801],
  ] as const) {
    const { slug } = await buildProduct(ctx, { variants: [{ price_cents: 3800, compare_at_cents: compareAt }] });
    const { body } = await api.call('GET', `/api/v1/products/${slug}`, { tenant: tenant.slug });
    t.is(body.product.compare_at_cents, shown);
  }
});

test('GET /products/:slug returns 404 for drafts, removed, unknown, malformed and foreign slugs', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const published = await buildProduct(ctx);
  const draft = await buildProduct(ctx, { status: 'draft' });
  const removed = await buildProduct(ctx);
  await transact(ctx, (ctx) => removeProduct(ctx, removed.slug));
  const other = await buildTenant(services);
  const theirs = await buildProduct({ ...ctx, tenant: other });

  for (const slug of [draft.slug, removed.slug, theirs.slug, 'no-such', 'NO SUCH']) {
    for (const part of ['', '/images', '/reviews']) {
      const { status, body } = await api.call('GET', `/api/v1/products/${slug}${part}`, { tenant: tenant.slug });
      t.is(status, 404, slug + part);
      t.is(body.error, 'not_found');
    }
    const review = await api.call('POST', `/api/v1/products/${slug}/reviews`, {
      tenant: tenant.slug,
      body: { rating: 5 },
    });
    t.is(review.status, 404);
  }
  const { body } = await api.call('GET', '/api/v1/products', { tenant: tenant.slug });
  t.deepEqual(
    body.products.map(({ slug }: any) => slug),
    [published.slug],
  );
});

test('GET /products filters by category, tag and words', async (t) => {
  const { api, ctx, tenant } = t.context;
  await buildProduct(ctx, { slug: 'oak-bowl', name: 'Oak bowl', category: 'kitchen', tags: ['wood', 'gift'] });
  await buildProduct(ctx, {
    slug: 'cafe',
    name: 'Café at home',
    category: 'kitchen',
    description: 'With an OAK STIRRER.',
    tags: ['gift'],
  });
  await buildProduct(ctx, { slug: 'lamp', name: 'Lamp', category: 'light', variants: [{ sku: 'LIGHT-1' }] });
  const slugs = async (query: string) => {
    const { body } = await api.call('GET', `/api/v1/products?sort=name&${query}`, { tenant: tenant.slug });
    return body.products.map(({ slug }: any) => slug);
  };
  t.deepEqual(await slugs(''), ['cafe', 'lamp', 'oak-bowl']);
  t.deepEqual(await slugs('category=kitchen'), ['cafe', 'oak-bowl']);
  t.deepEqual(await slugs('tag=wood'), ['oak-bowl']);
  t.deepEqual(await slugs('q=oak'), ['cafe', 'oak-bowl']);
  t.deepEqual(await slugs('q=cafe'), ['cafe']);
  t.deepEqual(await slugs('q=bowl+oak'), ['oak-bowl']);
  t.deepEqual(await slugs('q=light-1'), ['lamp']);
  t.deepEqual(await slugs('q=100%25'), []);
  t.deepEqual(await slugs('tag=gift&category=kitchen&q=stirrer'), ['cafe']);
});

test('GET /products finds words with accents in descriptions and SKUs, as they were typed', async (t) => {
  const { api, ctx, tenant } = t.context;
  const described = ['Crème brûlée', 'Für HAUSTÜREN', 'ガラスの器', '한국 도자기', 'أكواب من الخزف', 'Große Fußmatte'];
  for (const [index, description] of described.entries())
    await buildProduct(ctx, { slug: `p-${index}`, name: 'Thing', description, variants: [{ sku: `CAFÉ-${index}` }] });
  for (const [index, typed] of ['crème BRÛLÉE', 'haustüren', 'ガラス', '도자기', 'أكواب', 'fußmatte'].entries())
    for (const q of [typed, `café-${index}`]) {
      const path = `/api/v1/products?q=${encodeURIComponent(q)}`;
      const { body } = await api.call('GET', path, { tenant: tenant.slug });
      t.deepEqual(
        body.products.map(({ slug }: any) => slug),
        [`p-${index}`],
        q,
      );
    }
});

test('a cursor is accepted however long the name is that it stands at', async (t) => {
  const { api, ctx, tenant } = t.context;
  const name = '🍵'.repeat(200);
  for (const slug of ['first', 'second']) await buildProduct(ctx, { slug, name });
  const page = (cursor: string) =>
    api.call('GET', `/api/v1/products?sort=name&limit=1&${new URLSearchParams({ cursor })}`, { tenant: tenant.slug });
  const first = (await page('')).body;
  const second = (await page(first.cursor)).body;
  t.deepEqual([...first.products, ...second.products].map(({ slug }) => slug).toSorted(), ['first', 'second']);
});

for (const sort of ['newest', 'price_asc', 'price_desc', 'name']) {
  test(`every page of products by ${sort} is in order, though products come and go meanwhile`, async (t) => {
    const { api, ctx, tenant } = t.context;
    const prices = [300, 100, 200, 200, 100, 300, 200];
    for (const [index, price] of prices.entries())
      await buildProduct(ctx, { name: `Name ${price}`, slug: `p-${index}`, variants: [{ price_cents: price }] });
    const seen: string[] = [];
    let cursor: string | null = '';
    for (let page = 0; cursor !== null; page += 1) {
      const { body }: any = await api.call(
        'GET',
        `/api/v1/products?sort=${sort}&limit=2${cursor && `&cursor=${cursor}`}`,
        { tenant: tenant.slug },
      );
      seen.push(...body.products.map(({ slug }: any) => slug));
      cursor = body.cursor;
      if (page === 0) {
        await buildProduct(ctx, { name: 'Name 000', slug: 'late-first', variants: [{ price_cents: 1 }] });
        await transact(ctx, (ctx) => removeProduct(ctx, seen[0] ?? ''));
      }
    }
    const before = seen.filter((slug) => slug !== 'late-first');
    t.deepEqual(before, expected[sort as keyof typeof expected]);
    t.is(new Set(seen).size, seen.length);
  });
}

const expected = {
  newest: ['p-6', 'p-5', 'p-4', 'p-3', 'p-2', 'p-1', 'p-0'],
  price_asc: ['p-1', 'p-4', 'p-2', 'p-3', 'p-6', 'p-0', 'p-5'],
  price_desc: ['p-5', 'p-0', 'p-6', 'p-3', 'p-2', 'p-4', 'p-1'],
  name: ['p-1', 'p-4', 'p-2', 'p-3', 'p-6', 'p-0', 'p-5'],
};

test('GET /products rejects invalid parameters', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  await buildProduct(ctx);
  await buildProduct(ctx);
  const request = (query: string, slug = tenant.slug) => api.call('GET', `/api/v1/products?${query}`, { tenant: slug });
  for (const query of ['limit=0', 'limit=101', 'limit=two', 'sort=best', 'tag=a&tag=b', `q=${'a'.repeat(201)}`]) {
    const { status, body } = await request(query);
    t.is(status, 400, query);
    t.is(body.error, 'invalid_request');
    t.is(body.errors.length, 1);
  }
  const { cursor } = (await request('limit=1')).body;
  const other = await buildTenant(services);
  for (const refused of [
    request(`cursor=${cursor}x`),
    request(`sort=name&cursor=${cursor}`),
    request(`cursor=${cursor}`, other.slug),
  ]) {
    const { status, body } = await refused;
    t.is(status, 400);
    t.is(body.error, 'invalid_cursor');
  }
  t.is((await request(`cursor=${cursor}&limit=1`)).body.products.length, 1);
});

test('GET /products returns 304 for a matching ETag', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { slug } = await buildProduct(ctx);
  const first = await api.call('GET', `/api/v1/products/${slug}`, { tenant: tenant.slug });
  const etag = first.headers.get('etag') ?? '';
  t.is(first.headers.get('cache-control'), 'public, max-age=0, must-revalidate');
  t.is(first.headers.get('vary'), 'x-tenant-slug, Authorization, Origin, Accept-Encoding');
  const again = await api.call('GET', `/api/v1/products/${slug}`, {
    tenant: tenant.slug,
    headers: { 'if-none-match': etag },
  });
  t.is(again.status, 304);
  t.is(again.body, '');
  t.is(again.headers.get('etag'), etag);
  for (const [tags, status] of [
    [`"x", W/${etag}`, 304],
    ['*', 304],
    ['"x"', 200],
  ] as const) {
    t.is(
      (await api.call('GET', `/api/v1/products/${slug}`, { tenant: tenant.slug, headers: { 'if-none-match': tags } }))
        .status,
      status,
      tags,
    );
  }
});

test.serial('GET /products executes one statement, and none while the response is cached', async (t) => {
  const { api, ctx, tenant, services, clock } = t.context;
  const { slug } = await buildProduct(ctx);
  await api.call('GET', '/api/v1/products?limit=100', { tenant: tenant.slug });
  await clock.standStill(async () => {
    for (const path of [
      '/api/v1/products',
      `/api/v1/products/${slug}`,
      `/api/v1/products/${slug}/images`,
      '/api/v1/products?q=oak&tag=a&category=b&sort=name',
    ]) {
      const request = () => api.call('GET', path, { tenant: tenant.slug });
      // The tenant itself is read once a second.
      const count = async (work: () => Promise<unknown>) =>
        (await countStatements(services, work)).statements.filter((text) => !/from tenants/.test(text)).length;
      t.is(await count(() => Promise.all(Array.from({ length: 20 }, request))), 1, path);
      t.is(await count(request), 0, path);
    }
  });
  await transact(ctx, (ctx) =>
    saveProduct(ctx, { slug, name: 'Renamed', variants: [{ sku: 'OTHER', price_cents: 1 }] }),
  );
  clock.pass(1001);
  t.is((await api.call('GET', `/api/v1/products/${slug}`, { tenant: tenant.slug })).body.product.name, 'Renamed');
});

test('GET /products does not cache errors', async (t) => {
  const { api, ctx, tenant } = t.context;
  const request = () => api.call('GET', '/api/v1/products/brand-new', { tenant: tenant.slug });
  t.is((await request()).status, 404);
  await buildProduct(ctx, { slug: 'brand-new' });
  t.is((await request()).status, 200);
});

test.serial('POST /products/:slug/reviews publishes a review after its approval', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { slug } = await buildProduct(ctx);
  const send = (body: object) => api.call('POST', `/api/v1/products/${slug}/reviews`, { tenant: tenant.slug, body });
  const read = async () => {
    t.context.clock.pass(1001);
    return (await api.call('GET', `/api/v1/products/${slug}/reviews`, { tenant: tenant.slug })).body;
  };

  const sent = await send({
    rating: 4,
    title: 'Fine',
    body: 'It holds fruit.',
    author_name: 'Ada',
    email: 'Ada@example.com',
  });
  t.is(sent.status, 202);
  t.is(sent.body.review.status, 'pending');
  t.deepEqual(await read(), { reviews: [], summary: { count: 0, average: 0 }, cursor: null });

  const decide = (id: string, status: 'approved' | 'rejected') =>
    transact(ctx, (ctx) => decideReview(ctx, id, status, { isVerified: false }));
  const second = (await send({ rating: 5 })).body.review.id;
  await decide(sent.body.review.id, 'approved');
  await decide(second, 'approved');
  await decide(second, 'approved');
  const seen = await read();
  t.deepEqual(seen.summary, { count: 2, average: 4.5 });
  t.like(seen.reviews[1], {
    rating: 4,
    title: 'Fine',
    body: 'It holds fruit.',
    author_name: 'Ada',
    verified_purchase: false,
  });
  t.false('email' in seen.reviews[1]);

  await decide(second, 'rejected');
  t.deepEqual((await read()).summary, { count: 1, average: 4 });
  await t.throwsAsync(decide('rev_none', 'approved'), { message: /no such review/ });
});

test('GET /products/:slug/reviews returns pages', async (t) => {
  const { api, ctx, tenant } = t.context;
  const { slug } = await buildProduct(ctx);
  for (const rating of [1, 2, 3]) {
    const { id } = await submitReview(ctx, slug, { rating });
    await transact(ctx, (ctx) => decideReview(ctx, id, 'approved', { isVerified: false }));
  }
  const page = async (query: string) =>
    (await api.call('GET', `/api/v1/products/${slug}/reviews?${query}`, { tenant: tenant.slug })).body;
  const first = await page('limit=2');
  t.deepEqual(
    first.reviews.map(({ rating }: any) => rating),
    [3, 2],
  );
  const second = await page(`limit=2&cursor=${first.cursor}`);
  t.deepEqual(
    second.reviews.map(({ rating }: any) => rating),
    [1],
  );
  t.is(second.cursor, null);
  t.is((await page('cursor=wrong')).error, 'invalid_cursor');
});

test('review routes reject invalid bodies and require the module', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  const { slug } = await buildProduct(ctx);
  for (const body of [{}, { rating: 0 }, { rating: 6 }, { rating: 4.5 }, { rating: 5, email: 'nobody' }]) {
    const { status, body: response } = await api.call('POST', `/api/v1/products/${slug}/reviews`, {
      tenant: tenant.slug,
      body,
    });
    t.is(status, 400);
    t.is(response.error, 'invalid_request');
  }
  const quiet = await buildTenant(services, { modules: { ...tenant.modules, reviews: false } });
  const elsewhere: Context = { ...ctx, tenant: quiet };
  const product = await buildProduct(elsewhere);
  for (const [method, body] of [
    ['GET', undefined],
    ['POST', { rating: 5 }],
  ] as const) {
    const response = await api.call(method, `/api/v1/products/${product.slug}/reviews`, { tenant: quiet.slug, body });
    t.is(response.status, 403);
    t.is(response.body.error, 'module_disabled');
  }
});

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
  const { status, body } = await api.call(
    'GET',
    `/api/v1/inventory?variant_ids=${[...ids, 'nonsense', ''].join(',%20')}`,
    {
      tenant: tenant.slug,
    },
  );
  t.is(status, 200);
  t.deepEqual(
    body.variants.map(({ variant_id }: any) => variant_id),
    [second.variant.id, first.variant.id],
  );
});

const listOf = (count: number) => Array.from({ length: count }, (_, index) => `var_${index}`).join(',');

test('GET /inventory rejects no id and more than 50', async (t) => {
  const { api, ctx, tenant, services } = t.context;
  for (const [ids, detail] of [
    ['', 'variant_ids is required.'],
    [listOf(51), 'variant_ids must have at most 50 items.'],
    [listOf(800), 'variant_ids may have at most 5050 characters.'],
  ] as const) {
    const { status, body } = await api.call('GET', `/api/v1/inventory?variant_ids=${ids}`, { tenant: tenant.slug });
    t.like({ status, body }, { status: 400, body: { error: 'invalid_request', detail } });
  }
  t.is((await api.call('GET', `/api/v1/inventory?variant_ids=${listOf(50)}`, { tenant: tenant.slug })).status, 200);
  t.is((await api.call('GET', '/api/v1/inventory', { tenant: tenant.slug })).status, 400);
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
