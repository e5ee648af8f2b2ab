import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { quoteGiftCard, quotePromo, saveGiftCard } from '#src/domain/promotions/index.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
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

test('admin products: spaces around a SKU are no part of it', async (t) => {
  const { owner } = t.context;
  const spaced = [{ sku: ' BOWL-S\t', price_cents: 3800, stock: 5 }];
  const [variant] = (await owner.post('/products', { ...bowl, variants: spaced })).body.product.variants;
  t.is(variant.sku, 'BOWL-S');
  const again = await owner.put('/products/oak-bowl', { ...bowl, variants: [{ sku: 'BOWL-S ', price_cents: 3800 }] });
  t.deepEqual(
    again.body.product.variants.map(({ id }: any) => id),
    [variant.id],
  );
  const twice = [
    { sku: 'BOWL-S', price_cents: 3800 },
    { sku: 'BOWL-S ', price_cents: 3800 },
  ];
  t.deepEqual(placesOf(await owner.put('/products/oak-bowl', { ...bowl, variants: twice })), ['/variants/1/sku']);
  t.is((await owner.put('/stock', { items: [{ sku: ' BOWL-S', change: 1 }] })).body.items[0].quantity, 6);
});

test('PUT /admin/products/:slug gives a variant that it names by its id another SKU, and keeps its stock', async (t) => {
  const { ctx, owner } = t.context;
  const { product } = (await owner.post('/products', bowl)).body;
  const [small, large] = product.variants;
  const put = (variants: unknown[]) => owner.put('/products/oak-bowl', { ...product, version: null, variants });
  const skusOf = ({ body }: any) => body.product.variants.map(({ id, sku, stock }: any) => [id, sku, stock]);

  const renamed = await put([{ ...small, sku: 'BOWL-XS' }, large]);
  t.deepEqual(skusOf(renamed), [
    [small.id, 'BOWL-XS', 5],
    [large.id, 'BOWL-L', null],
  ]);
  t.deepEqual((await auditOf(ctx)).at(-1)?.after.changed, ['variants.BOWL-S.sku']);
  t.is((await owner.get('/products?q=BOWL-XS')).body.products.length, 1);
  t.deepEqual((await owner.get('/products?q=BOWL-S')).body.products, []);

  const without = await put([{ ...large, id: null, sku: 'BOWL-XL' }]);
  t.notDeepEqual(skusOf(without)[0][0], large.id, 'without an id it is another variant');
  const again = await put([{ ...without.body.product.variants[0], sku: 'BOWL-XS' }]);
  t.deepEqual(
    skusOf(again).map(([id]: any) => id),
    skusOf(without).map(([id]: any) => id),
    'the id of a variant that is sold wins over the SKU of one that is not',
  );
});

test('PUT /admin/products/:slug exchanges the SKUs of variants that are named by their ids, each with its stock', async (t) => {
  const { ctx, owner } = t.context;
  const third = { sku: 'BOWL-M', name: 'Medium', price_cents: 3000, stock: 7 };
  const { product } = (await owner.post('/products', { ...bowl, variants: [...bowl.variants, third] })).body;
  const [small, large, medium] = product.variants;
  const put = (variants: unknown[]) => owner.put('/products/oak-bowl', { ...product, version: null, variants });
  const skusOf = ({ body }: any) => body.product.variants.map(({ id, sku, stock }: any) => [id, sku, stock]);
  const exchanges = [
    ['BOWL-L', 'BOWL-S', 'BOWL-M'],
    ['BOWL-S', 'BOWL-M', 'BOWL-L'],
    ['BOWL-M', 'BOWL-L', 'BOWL-1'],
    ['BOWL-2', 'BOWL-M', 'BOWL-L'],
  ];
  for (const [first, second, last] of exchanges) {
    const variants = [
      { ...small, sku: first },
      { ...large, sku: second },
      { ...medium, sku: last },
    ];
    t.deepEqual(skusOf(await put(variants)), [
      [small.id, first, 5],
      [large.id, second, null],
      [medium.id, last, 7],
    ]);
  }
  const [, exchanged] = await auditOf(ctx);
  t.deepEqual(exchanged?.after.changed, ['variants.BOWL-S.sku', 'variants.BOWL-L.sku']);
  t.is((await owner.get('/products?q=BOWL-2')).body.products.length, 1);
});

test('PUT /admin/products/:slug reads the SKU of a variant before its id, and rejects two that contradict each other', async (t) => {
  const { owner } = t.context;
  const { product } = (await owner.post('/products', bowl)).body;
  const [small, large] = product.variants;
  const put = (variants: unknown[]) => owner.put('/products/oak-bowl', { ...product, version: null, variants });
  const copied = await put([small, large, { ...small, sku: 'BOWL-M' }]);
  t.deepEqual(
    copied.body.product.variants.map(({ id, sku }: any) => [sku, [small.id, large.id].includes(id)]),
    [
      ['BOWL-S', true],
      ['BOWL-L', true],
      ['BOWL-M', false],
    ],
  );
  t.deepEqual(placesOf(await put([{ ...small, sku: 'BOWL-L' }])), ['/variants/0/sku']);
  const twice = await put([large, { ...small, sku: 'BOWL-1' }, { ...small, sku: 'BOWL-2' }]);
  t.deepEqual(placesOf(twice), ['/variants/2/id']);
  const other = await owner.post('/products', { ...bowl, slug: 'ash-bowl', variants: [{ ...small, sku: 'ASH-S' }] });
  const { id } = other.body.product.variants[0];
  t.not(id, small.id, 'a copy of a product has variants of its own');
  const mixed = await owner.put('/products/ash-bowl', {
    ...other.body.product,
    variants: [{ ...small, sku: 'ASH-S' }],
  });
  t.is(mixed.body.product.variants[0].id, id);
  const taken = { ...mixed.body.product, variants: [{ ...mixed.body.product.variants[0], sku: 'BOWL-L' }] };
  t.deepEqual(placesOf(await owner.put('/products/ash-bowl', taken)), ['/variants/0/sku']);
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
  t.like(updated?.after, { name: 'Bowl', changed: only('name') });
  t.like(removed, { action: 'product.removed', after: null });
});

test('POST /admin/products rejects a used slug, a SKU of another product and an invalid body', async (t) => {
  const { ctx, owner } = t.context;
  await owner.post('/products', bowl);
  const taken = await owner.post('/products', bowl);
  t.is(resultOf(taken), '400 invalid_request');
  t.deepEqual(placesOf(taken), ['/slug']);
  const [variant] = bowl.variants;
  const variants = [{ ...variant, sku: 'FREE-1' }, variant];
  const other = await owner.post('/products', { ...bowl, slug: 'other', variants });
  t.is(resultOf(other), '400 invalid_request');
  t.deepEqual(placesOf(other), ['/variants/1/sku']);
  await owner.post('/products', { ...bowl, slug: 'other', variants: variants.slice(0, 1) });
  t.deepEqual(placesOf(await owner.put('/products/other', { ...bowl, slug: 'other', variants })), ['/variants/1/sku']);
  t.deepEqual(placesOf(await owner.post('/products', { ...bowl, variants: [] })), ['/variants']);
  t.is(resultOf(await owner.put('/products/nothing', bowl)), '404 not_found');
  t.deepEqual(await deedsOf(ctx), ['product.created', 'product.created']);
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

test('GET /admin/products?q= finds a product, draft or not, by its SKU, its slug and the beginning of its name', async (t) => {
  const { ctx, owner } = t.context;
  await buildProduct(ctx, { slug: 'walnut-tray', name: 'Walnut tray', variants: [{ sku: 'TRAY-9' }] });
  await owner.post('/products', bowl);
  const slugsFor = async (q: string) =>
    (await owner.get(`/products?q=${encodeURIComponent(q)}`)).body.products.map(({ slug }: any) => slug);
  const [draftSku] = bowl.variants.map(({ sku }) => sku);
  for (const typed of [' walnut-tray ', 'TRAY-9', 'tray-9', 'WALNUT t'])
    t.deepEqual(await slugsFor(typed), ['walnut-tray'], typed);
  for (const typed of [draftSku ?? '', bowl.slug, bowl.name.slice(0, 4)])
    t.deepEqual(await slugsFor(typed), [bowl.slug], typed);
  for (const typed of ['tray%', '%', 'nothing', 'a'.repeat(200)]) t.deepEqual(await slugsFor(typed), [], typed);
});

test('GET /admin/products?q= finds products also where a word is frequent, and another too short for the index', async (t) => {
  const { ctx, owner, services } = t.context;
  for (const number of [76, 77]) await buildProduct(ctx, { slug: `item-${number}`, name: `Bowl of item ${number}` });
  await runJobs(services);
  await transact(ctx, ({ tx, tenant }) =>
    tx.execute(sql`
    insert into search_documents (tenant_id, kind, subject_id, slug, title, normalized_title, body, keywords, names, vector)
    select ${tenant.id}, 'product', 'prod_' || lpad(n::text, 26, '0'), 'item-of-' || n, 'Item', 'item', '', '', '{}', ''
    from generate_series(1, 1010) as n`),
  );
  const slugsFor = async (q: string) =>
    (await owner.get(`/products?q=${encodeURIComponent(q)}`)).body.products.map(({ slug }: any) => slug);
  t.deepEqual(await slugsFor('item'), ['item-77', 'item-76']);
  t.deepEqual(await slugsFor('Item 77'), ['item-77']);
});

test('GET /admin/products?q= finds words that are short without their vowels, or in languages without spaces', async (t) => {
  const { ctx, owner, services } = t.context;
  for (const [slug, name] of [
    ['sari', 'कांजीवरम साड़ी'],
    ['teapot', '青瓷茶壶'],
    ['table', 'Oak table'],
  ] as const)
    await buildProduct(ctx, { slug, name });
  await runJobs(services);
  const slugsFor = async (q: string) =>
    (await owner.get(`/products?q=${encodeURIComponent(q)}`)).body.products.map(({ slug }: any) => slug);
  for (const typed of ['साड़ी', 'सा\u095cी']) t.deepEqual(await slugsFor(typed), ['sari'], typed);
  for (const typed of ['茶壶', '壶']) t.deepEqual(await slugsFor(typed), ['teapot'], typed);
  for (const typed of ['ab', 'साड़ी 茶壶']) t.deepEqual(await slugsFor(typed), [], typed);
});

test('PUT /admin/stock sets and adjusts stock, all or nothing, and records each change', async (t) => {
  const { ctx, owner, otherOwner } = t.context;
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

  await owner.put('/stock', { items: [{ sku: 'CUP', change: 2 }] });
  const pages = await pagesOf(owner, `/stock/movements?variant_id=${variant.id}`, 'movements');
  t.deepEqual(
    pages.flat().map(({ reason, quantity }) => [reason, quantity]),
    [
      ['adjusted', 2],
      ['set', -3],
      ['set', 10],
    ],
  );
  t.deepEqual((await otherOwner.get(`/stock/movements?variant_id=${variant.id}`)).body.movements, []);
  await owner.put('/stock', { items: [{ sku: 'CUP', change: -2 }] });

  const refused = async (...items: object[]) => resultOf(await owner.put('/stock', { items }));
  t.is(
    await refused({ sku: 'JUG', quantity: 9 }, { sku: 'CUP', quantity: 9, if_quantity: 10 }),
    '409 version_conflict',
  );
  const short = await owner.put('/stock', { items: [{ sku: 'JUG', change: -3 }] });
  t.is(resultOf(short), '409 insufficient_stock');
  t.deepEqual(short.body.items, [{ variant_id: other.variant.id, requested: 3, available: 2 }]);
  t.is(await refused({ sku: 'NONE', quantity: 1 }), '404 not_found');
  const swapped = await owner.put('/stock', { items: [{ variant_id: variant.id, sku: 'JUG', quantity: 2 }] });
  t.is(resultOf(swapped), '404 not_found');
  t.is(swapped.body.detail, `There is no variant ${variant.id} with the SKU JUG.`);
  const both = { variant_id: variant.id, sku: 'CUP' };
  t.is((await owner.put('/stock', { items: [{ ...both, quantity: 7 }] })).body.items[0].quantity, 7);
  for (const [place, ...items] of [
    ['/items/0/sku', { quantity: 1 }],
    ['/items/0', { sku: 'JUG', quantity: 1 }, { variant_id: other.variant.id, quantity: 2 }],
    ['/items/1/quantity', { sku: 'JUG', quantity: 1 }, { sku: 'CUP' }],
  ] as const)
    t.deepEqual(placesOf(await owner.put('/stock', { items })), [place]);
  t.is((await stockOf(ctx, other.variant.id)).stock, 2);
  t.is((await owner.put('/stock', { items: [{ sku: 'CUP', quantity: null }] })).body.items[0].quantity, null);
});

const welcome = { code: 'welcome10', type: 'percent', value: 10, usage_limit: 100 };

test('admin promo codes: a code is created, changed, removed and restored', async (t) => {
  const { ctx, owner } = t.context;
  const made = await owner.post('/promo-codes', welcome);
  t.is(made.status, 201);
  t.like(made.body.promo_code, {
    code: 'WELCOME10',
    type: 'percent',
    value: 10,
    value_cents: null,
    usage_limit: 100,
    used: 0,
    held: 0,
  });
  const quote = async () =>
    (await quotePromo(ctx, { code: 'WELCOME10', currency: 'USD', subtotalCents: 1000 })).discountCents;
  t.is(await quote(), 100);

  const changed = await owner.put('/promo-codes/Welcome10', {
    ...made.body.promo_code,
    type: 'fixed',
    value_cents: 250,
  });
  t.like(changed.body.promo_code, { id: made.body.promo_code.id, type: 'fixed', value: null, value_cents: 250 });
  t.is(await quote(), 250);
  t.deepEqual((await owner.delete('/promo-codes/welcome10')).body, { ok: true });
  t.is(await quote(), 0);
  t.is(resultOf(await owner.put('/promo-codes/welcome10', welcome)), '404 not_found');
  t.is(resultOf(await owner.delete('/promo-codes/welcome10')), '404 not_found');
  t.is((await owner.post('/promo-codes', welcome)).body.promo_code.id, made.body.promo_code.id);

  t.deepEqual(await deedsOf(ctx), [
    'promo_code.created',
    'promo_code.updated',
    'promo_code.removed',
    'promo_code.created',
  ]);
  const [, updated] = await auditOf(ctx);
  t.like(updated?.before, { type: 'percent', value: 10 });
  t.deepEqual(updated?.after.changed, ['type', 'percent', 'value_cents']);
});

test('POST /admin/promo-codes rejects a used code, a missing value and an end before the start', async (t) => {
  const { owner } = t.context;
  await owner.post('/promo-codes', welcome);
  t.deepEqual(placesOf(await owner.post('/promo-codes', { ...welcome, code: ' WELCOME10 ' })), ['/code']);
  t.true(placesOf(await owner.post('/promo-codes', { code: 'X', type: 'fixed' })).includes('/value_cents'));
  t.true(placesOf(await owner.put('/promo-codes/WELCOME10', { type: 'percent' })).includes('/value'));
  const backwards = { ...welcome, code: 'Y', starts_at: '2026-12-02T00:00:00Z', ends_at: '2026-12-01T00:00:00Z' };
  t.deepEqual(placesOf(await owner.post('/promo-codes', backwards)), ['/ends_at']);
});

test('POST /admin/gift-cards returns the code once and stores it nowhere', async (t) => {
  const { ctx, owner } = t.context;
  const { status, body } = await owner.post('/gift-cards', { balance_cents: 5000 });
  t.is(status, 201);
  t.like(body.gift_card, {
    balance_cents: 5000,
    held_cents: 0,
    currency: 'USD',
    disabled_at: null,
    last4: body.code.slice(-4),
  });
  t.like(await quoteGiftCard(ctx, { code: body.code, orderTotalCents: 100 }), { valid: true, appliedCents: 100 });
  const resultOf = JSON.stringify([(await owner.get('/gift-cards')).body, await auditOf(ctx)]);
  t.false(resultOf.includes(body.code) || resultOf.includes(body.code.replaceAll('-', '')));
  t.deepEqual(await deedsOf(ctx), ['gift_card.created']);
  t.deepEqual(placesOf(await owner.post('/gift-cards', { balance_cents: -1 })), ['/balance_cents']);
});

test('POST /admin/gift-cards/:id/disable makes a card unusable', async (t) => {
  const { ctx, owner } = t.context;
  const card = await buildGiftCard(ctx);
  const disabled = await owner.post(`/gift-cards/${card.id}/disable`);
  t.truthy(disabled.body.gift_card.disabled_at);
  t.deepEqual((await owner.post(`/gift-cards/${card.id}/disable`)).body, disabled.body);
  t.false((await quoteGiftCard(ctx, { code: card.code, orderTotalCents: 100 })).valid);
  t.is(resultOf(await owner.post(`/gift-cards/${newId('gift')}/disable`)), '404 not_found');
  t.deepEqual(await deedsOf(ctx), ['gift_card.updated']);
});

test('GET /admin/promo-codes and /admin/gift-cards list pages', async (t) => {
  const { ctx, owner } = t.context;
  const promos = [];
  const cards = [];
  for (const index of [1, 2, 3]) {
    promos.unshift((await buildPromo(ctx, { code: `P${index}` })).code);
    cards.unshift((await buildGiftCard(ctx)).id);
  }
  t.deepEqual(
    (await pagesOf(owner, '/promo-codes', 'promo_codes')).flat().map(({ code }) => code),
    promos,
  );
  t.deepEqual(
    (await pagesOf(owner, '/gift-cards', 'gift_cards')).flat().map(({ id }) => id),
    cards,
  );
});

test('GET /admin/promo-codes finds codes by how they begin, in any spelling, page by page', async (t) => {
  const { ctx, owner } = t.context;
  for (const code of ['SAVE-1', 'SPRING', 'SAVE_2', 'XSAVE']) await buildPromo(ctx, { code });
  const found = async (q: string) =>
    (await pagesOf(owner, `/promo-codes?q=${encodeURIComponent(q)}`, 'promo_codes')).flat().map(({ code }) => code);
  t.deepEqual(await found(' save'), ['SAVE-1', 'SAVE_2']);
  t.deepEqual(await found('save\u20131'), ['SAVE-1'], 'another dash');
  t.deepEqual(await found('%'), []);
  t.deepEqual(await found('save_'), ['SAVE_2']);
});

test('GET /admin/gift-cards finds cards by how their codes end, in any spelling, page by page', async (t) => {
  const { ctx, owner } = t.context;
  for (const code of ['AAAA-BBBB-1234', 'CCCC-DDDD-1234', 'EEEE-FFFF-12X4'])
    await transact(ctx, (ctx) => saveGiftCard(ctx, { code, balance_cents: 100 }));
  const found = async (q: string) =>
    (await pagesOf(owner, `/gift-cards?q=${encodeURIComponent(q)}`, 'gift_cards')).flat().map(({ last4 }) => last4);
  t.deepEqual(await found('1234'), ['1234', '1234']);
  t.deepEqual(await found('12x4'), ['12X4']);
  t.deepEqual(await found('\uff11\uff12\uff13\uff14'), ['1234', '1234'], 'full width');
  t.deepEqual(await found('34'), []);
  t.is((await found('-')).length, 3, 'no character of a code');
  t.deepEqual(placesOf(await owner.get('/gift-cards?q=AAAA-BBBB-1234')), ['/q'], 'not a code in a URL');
});

const guide = {
  type: 'article',
  slug: 'oil',
  title: 'How to oil wood',
  body: { format: 'markdown', value: '# Oil' },
  tags: ['care'],
};

test.serial('admin content: a draft is created, published and removed', async (t) => {
  const { api, clock, ctx, owner, tenant } = t.context;
  const made = await owner.post('/content', guide);
  t.is(made.status, 201);
  t.like(made.body.entry, { slug: 'oil', published_at: null, tags: only('care'), version: 1 });
  const seen = () => api.call('GET', '/api/v1/content/article/oil', { tenant: tenant.slug });
  t.is((await seen()).status, 404);
  t.deepEqual((await owner.put('/content/article/oil', made.body.entry)).body, made.body);

  const published = await owner.put('/content/article/oil', {
    ...made.body.entry,
    published_at: clock.now().toISOString(),
  });
  t.truthy(published.body.entry.published_at);
  clock.pass(1100);
  t.is((await seen()).status, 200);
  t.deepEqual((await owner.delete('/content/article/oil')).body, { ok: true });
  t.is(resultOf(await owner.get('/content/article/oil')), '404 not_found');
  t.deepEqual(await deedsOf(ctx), ['content.created', 'content.updated', 'content.removed']);
  const [, updated] = await auditOf(ctx);
  t.like(updated, { subject: { kind: 'content', id: made.body.entry.id }, before: { published_at: null } });
  t.deepEqual(updated?.after.changed, ['published_at']);
});

test('admin content rejects a used name, an unknown entry and an invalid body', async (t) => {
  const { owner } = t.context;
  await owner.post('/content', guide);
  t.deepEqual(placesOf(await owner.post('/content', guide)), ['/slug']);
  t.deepEqual(placesOf(await owner.post('/content', { ...guide, type: 'No Type', title: undefined })).toSorted(), [
    '/title',
    '/type',
  ]);
  const window = { ...guide, slug: 'window', starts_at: '2026-11-20T12:00:00Z', ends_at: '2026-11-20T12:00:00Z' };
  t.deepEqual(placesOf(await owner.post('/content', window)), ['/ends_at']);
  for (const response of [
    await owner.put('/content/page/oil', guide),
    await owner.delete('/content/article/none'),
    await owner.get('/content/article/none'),
  ]) {
    t.is(resultOf(response), '404 not_found');
  }
});

test('GET /admin/content lists pages and filters by type', async (t) => {
  const { ctx, owner } = t.context;
  for (const slug of ['a', 'b', 'c']) await buildEntry(ctx, { slug });
  await owner.post('/content', { ...guide, type: 'page' });
  const pages = await pagesOf(owner, '/content', 'entries');
  t.deepEqual(
    pages.map((page) => page.map(({ slug }) => slug)),
    [
      ['oil', 'c'],
      ['b', 'a'],
    ],
  );
  t.deepEqual(
    (await owner.get('/content?type=page')).body.entries.map(({ slug }: any) => slug),
    ['oil'],
  );
});

test('a product, an entry and a promo code are replaced in one version only, if the request names it', async (t) => {
  const { owner } = t.context;
  const jar = { name: 'Jar', variants: [{ sku: 'JAR', price_cents: 1 }] };
  const { code, ...terms } = welcome;
  const things = [
    ['/products', { slug: 'jar' }, '/products/jar', 'product', [jar, { ...jar, name: 'Pot' }, { ...jar, name: 'Urn' }]],
    ['/content', { type: 'article', slug: 'clay' }, '/content/article/clay', 'entry', titled('Clay', 'Loam', 'Sand')],
    ['/promo-codes', { code }, `/promo-codes/${code}`, 'promo_code', [7, 8, 9].map((value) => ({ ...terms, value }))],
  ] as const;
  for (const [list, names, place, kind, [made, ...edits]] of things) {
    const { version } = (await owner.post(list, { ...names, ...made })).body[kind];
    const both = await Promise.all(edits.map((edit) => owner.put(place, { ...edit, version })));
    t.deepEqual(both.map(resultOf).toSorted(), ['200', '409 version_conflict'], kind);
    t.is(resultOf(await owner.put(place, made)), '200', kind);
  }
});

const titled = (...titles: readonly string[]) => titles.map((title) => ({ title }));
