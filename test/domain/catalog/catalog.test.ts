import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';

import { indexDocument, indexDocuments } from '#jobs/search.ts';
import { transact } from '#src/database/transact.ts';
import { changeStock } from '#src/domain/catalog/change-stock.ts';
import {
  captureStock,
  holdStock,
  listProducts,
  type ProductFilter,
  type ProductInput,
  type ProductRow,
  priceLines,
  releaseStock,
  removeProduct,
  restock,
  saveProduct,
  saveProducts,
  takeStock,
} from '#src/domain/catalog/index.ts';
import type { SaveProductOptions } from '#src/domain/catalog/plan-product.ts';
import type { WantedLine } from '#src/domain/catalog/price-lines.ts';
import type { FindCandidates } from '#src/domain/catalog/published-products.ts';
import type { Context, InTransaction } from '#src/domain/context.ts';
import type { Page } from '#src/lib/cursor.ts';
import { DomainError } from '#src/lib/errors.ts';
import type { Issue } from '#src/lib/validation.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildProduct, stockOf } from '#test/support/factories/catalog.ts';
import { only } from '#test/support/only.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const bowl: ProductInput = {
  slug: 'oak-bowl',
  name: 'Oak bowl',
  description: 'Turned.',
  category: 'kitchen',
  tags: ['wood', 'gift'],
  images: [{ url: 'https://cdn.example/oak.jpg', alt: 'A bowl', width: 1200, height: 900 }],
  variants: [
    { sku: 'BOWL-S', name: 'Small', options: { size: 'S' }, price_cents: 3800, weight_oz: 18.25, stock: 40 },
    { sku: 'BOWL-L', name: 'Large', price_cents: 6200, compare_at_cents: 7000, stock: 12, low_stock_at: 3 },
  ],
};

const save = (ctx: Context, input: ProductInput, options?: SaveProductOptions) =>
  transact(ctx, (ctx) => saveProduct(ctx, input, options));

const idOf = async (ctx: Context, productSlug = 'oak-bowl', variantId?: string) =>
  (await priceLines(ctx, [{ productSlug, variantId, quantity: 1, purchaseType: 'one_time' }]))[0]?.variantId ?? '';

test('saveProduct creates and indexes a product once when it is saved twice', async (t) => {
  const { ctx } = t.context;
  t.like(await save(ctx, bowl), { subject: 'product oak-bowl', action: 'created', fields: [] });
  t.like(await save(ctx, bowl), { subject: 'product oak-bowl', action: 'unchanged', fields: [] });
  t.is((await enqueuedJobs(ctx, indexDocument)).length, 1);
});

test('saveProduct returns exactly the changed fields', async (t) => {
  const { ctx } = t.context;
  await save(ctx, bowl);
  const [small, large] = bowl.variants;
  const change = await save(ctx, {
    ...bowl,
    name: 'Bowl of oak',
    tags: ['gift', 'wood'],
    variants: [{ ...small!, price_cents: 3900 }, large!, { sku: 'BOWL-X', price_cents: 9900 }],
  });
  t.like(change, {
    subject: 'product oak-bowl',
    action: 'updated',
    fields: only('name', 'tags', 'variants.BOWL-S.price_cents', 'variants.BOWL-X'),
  });
  t.deepEqual(
    (await enqueuedJobs(ctx, indexDocument)).map(({ version }) => version),
    [1, 2],
  );
});

test('saveProduct sets the stock of existing variants only with setStock', async (t) => {
  const { ctx } = t.context;
  const one = (stock: number | null): ProductInput => ({
    ...bowl,
    variants: [{ sku: 'BOWL-S', price_cents: 3800, stock }],
  });
  await save(ctx, one(40));
  const id = await idOf(ctx);
  t.is((await save(ctx, one(7))).action, 'unchanged');
  t.is((await stockOf(ctx, id)).stock, 40);
  t.deepEqual((await save(ctx, one(7), { setStock: true })).fields, ['variants.BOWL-S.stock']);
  t.deepEqual(await stockOf(ctx, id), { stock: 7, held: 0, ledger: 7 });
  await save(ctx, one(null), { setStock: true });
  t.deepEqual(await stockOf(ctx, id), { stock: null, held: 0, ledger: 0 });
});

test('saveProduct keeps unnamed variants, removes them with prune, and restores them under their ids', async (t) => {
  const { ctx } = t.context;
  await save(ctx, bowl);
  const small = { ...bowl, variants: bowl.variants.slice(0, 1) };
  t.is((await save(ctx, small)).action, 'unchanged');
  await t.throwsAsync(idOf(ctx), { code: 'variant_required' });
  t.deepEqual((await save(ctx, small, { prune: true })).fields, ['variants.BOWL-L']);
  const id = await idOf(ctx);

  await save(ctx, { ...bowl, variants: bowl.variants.slice(1) }, { prune: true });
  const large = await idOf(ctx);
  t.not(large, id);
  await save(ctx, { ...small, variants: [{ sku: 'BOWL-S', price_cents: 100, stock: 3 }] }, { prune: true });
  t.is(await idOf(ctx), id);
  t.deepEqual(await stockOf(ctx, id), { stock: 3, held: 0, ledger: 3 });
});

test('removeProduct stops sales, and held stock can still be released', async (t) => {
  const { ctx } = t.context;
  const { slug, variant } = await buildProduct(ctx);
  const lines = [{ variantId: variant.id, quantity: 2 }];
  await transact(ctx, (ctx) => holdStock(ctx, lines));
  t.is((await transact(ctx, (ctx) => removeProduct(ctx, slug))).action, 'removed');
  t.is((await transact(ctx, (ctx) => removeProduct(ctx, slug))).action, 'unchanged');
  await t.throwsAsync(idOf(ctx, slug), { code: 'unknown_product' });
  await transact(ctx, (ctx) => releaseStock(ctx, lines));
  t.is((await stockOf(ctx, variant.id)).held, 0);
  await buildProduct(ctx, { slug });
  t.is(await idOf(ctx, slug), variant.id);
});

test('saveProduct rejects a SKU of another variant of the store', async (t) => {
  const { ctx } = t.context;
  await save(ctx, bowl);
  const plate: ProductInput = { slug: 'plate', name: 'Plate', variants: [{ sku: 'BOWL-S', price_cents: 100 }] };
  const taken = await t.throwsAsync<DomainError>(save(ctx, plate));
  t.is(taken?.code, 'invalid_request');
  const twice = await t.throwsAsync<DomainError>(
    save(ctx, {
      ...plate,
      variants: [
        { sku: 'P', price_cents: 1 },
        { sku: 'P', price_cents: 2 },
      ],
    }),
  );
  t.deepEqual(twice?.extensions['errors'], [
    { path: '/variants/1/sku', code: 'uniqueItems', detail: 'is that of another variant' },
  ]);
});

test('saveProduct rejects a new price that the payment provider cannot charge', async (t) => {
  const { ctx } = t.context;
  const inCurrency = (currency: string) => ({ ...ctx, tenant: { ...ctx.tenant, currency } });
  const coffee = (price: number, subscription: number): ProductInput => ({
    slug: 'coffee',
    name: 'Coffee',
    status: 'published',
    variants: [{ sku: 'COFFEE', name: 'Coffee', price_cents: price, subscription_price_cents: subscription }],
  });
  for (const [currency, step] of Object.entries({ KWD: 10, ISK: 100 })) {
    const wrong = await t.throwsAsync(save(inCurrency(currency), coffee(5555, 5551)), { instanceOf: DomainError });
    t.deepEqual(
      ((wrong?.extensions['errors'] ?? []) as Issue[]).map(({ path, detail }) => [path, detail]),
      ['price_cents', 'subscription_price_cents'].map((field) => [
        `/variants/0/${field}`,
        `must be a multiple of ${step}, to be charged in ${currency}`,
      ]),
    );
  }
  await save(inCurrency('KWD'), coffee(5550, 4440));
  await save(ctx, coffee(5555, 4440));
  t.deepEqual((await save(inCurrency('KWD'), { ...coffee(5555, 4440), name: 'Tea' })).fields, ['name']);
});

test('saveProduct creates one product from two concurrent calls', async (t) => {
  const { ctx } = t.context;
  const changes = await Promise.all(Array.from({ length: 5 }, () => save(ctx, bowl)));
  t.deepEqual(changes.map(({ action }) => action).toSorted(), [
    'created',
    'unchanged',
    'unchanged',
    'unchanged',
    'unchanged',
  ]);
});

test.serial('saveProduct executes two statements without a change and four with one', async (t) => {
  const { ctx, services } = t.context;
  await save(ctx, bowl);
  t.is((await countStatements(services, () => save(ctx, bowl))).statements.length, 2);
  const { statements } = await countStatements(services, () => save(ctx, { ...bowl, name: 'Bowl' }));
  t.is(statements.length, 4, 'lock, read, write, enqueue');
});

const plates = (count: number, more: object = {}): ProductInput[] =>
  Array.from({ length: count }, (_, number) => ({
    slug: `plate-${number}`,
    name: `Plate ${number}`,
    tags: ['clay'],
    variants: [{ sku: `PLATE-${number}`, price_cents: 100 + number, stock: 2 }],
    ...more,
  }));

const saveAll = (ctx: Context, inputs: readonly ProductInput[], options: SaveProductOptions = {}) =>
  transact(ctx, (ctx) => saveProducts(ctx, inputs, options));

test.serial('saveProducts executes as many statements for a hundred products as for two', async (t) => {
  const { ctx, services } = t.context;
  const costOf = async (inputs: readonly ProductInput[]) =>
    (await countStatements(services, () => saveAll(ctx, inputs))).statements.length;
  t.is(await costOf(plates(100)), 7, 'lock, read, find the SKUs, write, lock the variants, open the stock, enqueue');
  t.deepEqual(
    (await enqueuedJobs(ctx, indexDocuments)).map(({ documentIds }) => documentIds.length),
    [100],
  );
  t.is(await costOf(plates(100)), 2);
  t.deepEqual(
    (await saveAll(ctx, plates(3, { category: 'table' }))).map(({ fields }) => fields),
    [['category'], ['category'], ['category']],
  );
  t.deepEqual(await stockOf(ctx, await idOf(ctx, 'plate-99')), { stock: 2, held: 0, ledger: 2 });
});

test('saveProducts moves a SKU between products, and a rejected SKU does not affect the others', async (t) => {
  const { ctx } = t.context;
  const [first, second] = plates(2) as [ProductInput, ProductInput];
  await saveAll(ctx, [first, second]);
  const moved = [
    { ...first, variants: [{ sku: 'NEW', price_cents: 1 }] },
    { ...second, variants: [...second.variants, ...first.variants] },
  ];
  const changes = await saveAll(ctx, moved, { prune: true });
  t.deepEqual(
    changes.map(({ fields }) => fields),
    [['variants.PLATE-0', 'variants.NEW'], ['variants.PLATE-0']],
  );

  await t.throwsAsync(
    saveAll(ctx, [...plates(3).slice(2), { ...bowl, variants: [{ sku: 'PLATE-1', price_cents: 1 }] }]),
    { code: 'invalid_request' },
  );
  await t.throwsAsync(idOf(ctx, 'plate-2'), { code: 'unknown_product' });
  await t.throwsAsync(saveAll(ctx, [bowl, { ...bowl, slug: 'twin' }]), { code: 'invalid_request' });
  t.deepEqual(
    (await saveAll(ctx, [bowl, bowl])).map(({ action }) => action),
    ['created', 'unchanged'],
  );
});

/** More products than one page is looked for among; every 100th is a vase, and the four last ones are jars. */
const products = 600;

async function fillStore(ctx: Context): Promise<void> {
  const inputs = Array.from(
    { length: products },
    (_, number): ProductInput => ({
      slug: `product-${number}`,
      name: number % 100 === 0 ? 'Blue vase' : number >= products - 4 ? 'Grey jar' : 'White mug',
      category: number % 2 === 0 ? 'even' : 'odd',
      tags: number % 150 === 0 ? ['clay', 'rare'] : ['clay'],
      variants: [{ sku: `S-${number}`, price_cents: 1000 + (number % 300) }],
    }),
  );
  for (let at = 0; at < products; at += 300)
    await transact(ctx, (ctx) => saveProducts(ctx, inputs.slice(at, at + 300), {}));
}

const slugsOf = (page: Page<ProductRow>) => page.rows.map(({ slug }) => slug);

/** Every page of a list: the slugs, and how many products each page has. */
async function pagesOf(ctx: Context, filter: ProductFilter, findCandidates?: FindCandidates) {
  const slugs: string[] = [];
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await listProducts(ctx, { ...filter, limit: 3, cursor }, findCandidates);
    slugs.push(...slugsOf(page));
    sizes.push(page.rows.length);
    cursor = page.cursor ?? undefined;
  } while (cursor !== undefined);
  return { slugs, sizes };
}

const named = (...numbers: number[]) => numbers.map((number) => `product-${number}`);

test('listProducts reads a bounded number of products for each page, and its pages have all matches', async (t) => {
  const { ctx } = t.context;
  await fillStore(ctx);
  t.deepEqual((await pagesOf(ctx, { tag: 'rare' })).slugs, named(450, 300, 150, 0));
  t.deepEqual((await pagesOf(ctx, { tag: 'rare', sort: 'price_asc' })).slugs, named(0, 300, 150, 450));
  t.deepEqual((await pagesOf(ctx, { tag: 'rare', sort: 'price_desc' })).slugs, named(450, 150, 300, 0));

  const even = await pagesOf(ctx, { tag: 'clay', category: 'even', q: 'vase' });
  t.deepEqual(even, { slugs: named(500, 400, 300, 200, 100, 0), sizes: [3, 3] });
  t.deepEqual(await pagesOf(ctx, { tag: 'clay', category: 'odd', q: 'vase' }), { slugs: [], sizes: [0, 0] });
  t.deepEqual(await pagesOf(ctx, { q: 'jar' }), { slugs: named(599, 598, 597, 596), sizes: [3, 1, 0] });
});

test('listProducts completes a page from the candidates of an index when its words are rare', async (t) => {
  const { ctx } = t.context;
  await fillStore(ctx);
  const all = (await pagesOf(ctx, { q: 'vase' })).slugs;
  const { rows } = await listProducts(ctx, { q: 'vase', limit: 100 }, async () => undefined);
  const ids = (await listProducts(ctx, { tag: 'rare', limit: 100 })).rows.map(({ id }) => id);
  t.deepEqual(all, named(500, 400, 300, 200, 100, 0));
  t.is(rows.length, 5, 'those of the first five hundred');

  const requested: (readonly string[])[] = [];
  const candidates: FindCandidates = async (_ctx, words) => {
    requested.push(words.map(({ plain }) => plain));
    return [...new Set([...rows.map(({ id }) => id), ...ids])];
  };
  const filter: ProductFilter = { q: 'Vase', tag: 'clay', limit: 100 };
  await listProducts(ctx, { ...filter, sort: 'name', limit: 3 }, candidates);
  t.deepEqual(requested, [], 'the first names fill the page');
  const page = await listProducts(ctx, filter, candidates);
  t.deepEqual(page, { rows: page.rows, cursor: null });
  t.deepEqual(slugsOf(page), all, 'a candidate without the words is left out');
  t.deepEqual(requested, [['vase']]);
  t.deepEqual(slugsOf(await listProducts(ctx, { ...filter, category: 'odd' }, candidates)), []);
});

const once = (productSlug: string, variantId?: string): WantedLine => ({
  productSlug,
  variantId,
  quantity: 2,
  purchaseType: 'one_time',
});

test('priceLines prices lines from the catalogue, in order', async (t) => {
  const { ctx } = t.context;
  const bowl = await buildProduct(ctx, {
    name: 'Oak bowl',
    images: [{ url: 'https://cdn.example/oak.jpg' }],
    variants: [
      { sku: 'S', name: 'Small', options: { size: 'S' } },
      { sku: 'L', name: 'Large', price_cents: 6200, weight_oz: 34.5 },
    ],
  });
  const coffee = await buildProduct(ctx, {
    name: 'Coffee',
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['quarter'],
    variants: [{ sku: 'C', price_cents: 1900, subscription_price_cents: 1700, ships: false, weight_oz: null }],
  });
  const [, large] = bowl.variants;
  const lines = await priceLines(ctx, [
    {
      productSlug: coffee.slug,
      variantId: coffee.variant.id,
      quantity: 3,
      purchaseType: 'subscription',
      interval: 'quarter',
    },
    once(bowl.slug, large?.id),
    once(coffee.slug),
  ]);
  t.deepEqual(lines[1], {
    productId: bowl.id,
    productSlug: bowl.slug,
    productName: 'Oak bowl',
    variantId: large?.id ?? '',
    variantNamed: true,
    variantName: 'Large',
    sku: 'L',
    quantity: 2,
    unitPriceCents: 6200,
    purchaseType: 'one_time',
    interval: null,
    weightOz: 34.5,
    ships: true,
    imageUrl: 'https://cdn.example/oak.jpg',
    options: {},
  });
  t.like(lines[0], {
    unitPriceCents: 1700,
    interval: 'quarter',
    ships: false,
    weightOz: null,
    imageUrl: null,
    variantName: 'Coffee',
  });
  t.like(lines[2], { unitPriceCents: 1900, variantId: coffee.variant.id, variantNamed: false });
});

test('priceLines names each line that cannot be priced, with its reason', async (t) => {
  const { ctx, services } = t.context;
  const bowl = await buildProduct(ctx, { variants: [{ sku: 'S' }, { sku: 'L' }] });
  const coffee = await buildProduct(ctx, {
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month'],
  });
  const gone = await buildProduct(ctx);
  await transact(ctx, (ctx) => removeProduct(ctx, gone.slug));
  const draft = await buildProduct(ctx, { status: 'draft' });
  const theirs = await buildProduct({ ...ctx, tenant: await buildTenant(services) });
  const subscribe = (more: object): WantedLine => ({
    productSlug: coffee.slug,
    quantity: 1,
    purchaseType: 'subscription',
    ...more,
  });
  const refused: [WantedLine, string, string][] = [
    [once('no-such'), 'unknown_product', 'product_slug'],
    [once(gone.slug), 'unknown_product', 'product_slug'],
    [once(draft.slug), 'unknown_product', 'product_slug'],
    [once(theirs.slug, theirs.variant.id), 'unknown_product', 'product_slug'],
    [once(bowl.slug, coffee.variant.id), 'unknown_product', 'variant_id'],
    [once(bowl.slug), 'variant_required', 'variant_id'],
    [subscribe({ interval: 'month' }), 'variant_required', 'variant_id'],
    [subscribe({ variantId: coffee.variant.id, interval: 'quarter' }), 'price_unavailable', 'subscription_interval'],
    [
      { ...once(bowl.slug, bowl.variant.id), purchaseType: 'subscription', interval: 'month' },
      'price_unavailable',
      'purchase_type',
    ],
  ];
  for (const [line, code, field] of refused) {
    const error = await t.throwsAsync<DomainError>(priceLines(ctx, [once(coffee.slug), line]));
    t.is(error?.kind, 'invalid');
    t.is(error?.code, code);
    t.like(error?.extensions['errors'], only({ path: `/items/1/${field}`, code }) as any);
  }
  t.is((await priceLines(ctx, [])).length, 0);
});

test.serial('priceLines prices a hundred lines with one statement', async (t) => {
  const { ctx, services } = t.context;
  const { slug } = await buildProduct(ctx);
  const { result, statements } = await countStatements(services, () =>
    priceLines(
      ctx,
      Array.from({ length: 100 }, () => once(slug)),
    ),
  );
  t.is(result.length, 100);
  t.is(statements.length, 1);
});

test('holdStock makes stock unavailable until releaseStock', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 3 }] });
  const two = [{ variantId: variant.id, quantity: 2 }];

  await transact(ctx, (ctx) => holdStock(ctx, two));
  const error = await t.throwsAsync<DomainError>(
    transact(ctx, (ctx) => holdStock(ctx, two)),
    { instanceOf: DomainError },
  );
  t.is(error?.code, 'insufficient_stock');
  t.deepEqual(error?.extensions['items'], [{ variant_id: variant.id, requested: 2, available: 1 }]);

  await transact(ctx, (ctx) => releaseStock(ctx, two));
  await transact(ctx, (ctx) => holdStock(ctx, two));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 3, held: 2, ledger: 3 });
});

test('holdStock never exceeds the stock with 200 concurrent shoppers', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 37 }] });
  const attempts = Array.from({ length: 200 }, () =>
    transact(ctx, (ctx) => holdStock(ctx, [{ variantId: variant.id, quantity: 1 }])).then(
      () => true,
      () => false,
    ),
  );
  const held = (await Promise.all(attempts)).filter(Boolean);
  t.is(held.length, 37);
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 37, held: 37, ledger: 37 });
});

test('holdStock holds overlapping baskets concurrently without deadlocks, all or nothing', async (t) => {
  const { ctx } = t.context;
  const { variants } = await buildProduct(ctx, { variants: [{ stock: 20 }, { stock: 20 }, { stock: 15 }] });
  const ids = variants.map(({ id }) => id);
  const attempts = Array.from({ length: 60 }, (_, index) => {
    const basket = ids.toSorted(() => (index % 2 ? 1 : -1)).map((variantId) => ({ variantId, quantity: 1 }));
    return transact(ctx, (ctx) => holdStock(ctx, basket)).then(
      () => 'held',
      (error: DomainError) => error.code,
    );
  });
  const outcomes = await Promise.all(attempts);
  t.is(outcomes.filter((outcome) => outcome === 'held').length, 15);
  t.is(outcomes.filter((outcome) => outcome === 'insufficient_stock').length, 45);
  for (const id of ids) t.is((await stockOf(ctx, id)).held, 15);
});

test('holdStock sums the quantities of a variant before it checks them', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 3 }] });
  const lines = [
    { variantId: variant.id, quantity: 2 },
    { variantId: variant.id, quantity: 2 },
  ];
  const error = await t.throwsAsync<DomainError>(transact(ctx, (ctx) => holdStock(ctx, lines)));
  t.deepEqual(error?.extensions['items'], [{ variant_id: variant.id, requested: 4, available: 3 }]);
});

test('holdStock accepts any quantity of untracked and backorder variants', async (t) => {
  const { ctx } = t.context;
  const { variants } = await buildProduct(ctx, { variants: [{ stock: null }, { stock: 1, backorder: true }] });
  const lines = variants.map(({ id }) => ({ variantId: id, quantity: 5 }));
  await transact(ctx, async (ctx) => {
    await holdStock(ctx, lines);
    t.true(await captureStock(ctx, lines, { orderId: 'ord_1' }));
  });
  t.deepEqual(await stockOf(ctx, variants[0]?.id ?? ''), { stock: null, held: 0, ledger: 0 });
  t.deepEqual(await stockOf(ctx, variants[1]?.id ?? ''), { stock: -4, held: 0, ledger: -4 });
});

test('captureStock sells a hold, and restock puts it back', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 5 }] });
  const lines = [{ variantId: variant.id, quantity: 2 }];
  await transact(ctx, (ctx) => holdStock(ctx, lines));
  await transact(ctx, (ctx) => captureStock(ctx, lines, { orderId: 'ord_1' }));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 3, held: 0, ledger: 3 });
  await transact(ctx, (ctx) => restock(ctx, lines, { orderId: 'ord_1' }));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 5, held: 0, ledger: 5 });
});

test('captureStock releases the hold and sells nothing when the owner has reduced the stock', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 5 }] });
  const lines = [{ variantId: variant.id, quantity: 4 }];
  await transact(ctx, (ctx) => holdStock(ctx, lines));
  await transact(ctx, (ctx) => changeStock(ctx, [{ variantId: variant.id, quantity: 1 }]));
  t.false(await transact(ctx, (ctx) => captureStock(ctx, lines)));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 1, held: 0, ledger: 1 });
});

test('takeStock sells stock that is not held, all or nothing', async (t) => {
  const { ctx } = t.context;
  const { variants } = await buildProduct(ctx, { variants: [{ stock: 2 }, { stock: 2 }] });
  const [first, second] = variants.map(({ id }) => id);
  const take = (quantity: number) =>
    transact(ctx, (ctx) =>
      takeStock(ctx, [
        { variantId: first ?? '', quantity: 1 },
        { variantId: second ?? '', quantity },
      ]),
    );
  await transact(ctx, (ctx) => holdStock(ctx, [{ variantId: second ?? '', quantity: 1 }]));
  t.false(await take(2));
  t.is((await stockOf(ctx, first ?? '')).stock, 2);
  t.true(await take(1));
  t.deepEqual(await stockOf(ctx, second ?? ''), { stock: 1, held: 1, ledger: 1 });
});

test('holdStock does not find variants of another store', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx);
  const otherStore: Context = { ...ctx, tenant: { ...ctx.tenant, id: 'ten_other' } };
  const error = await t.throwsAsync<DomainError>(
    transact(otherStore, (ctx) => holdStock(ctx, [{ variantId: variant.id, quantity: 1 }])),
  );
  t.deepEqual(error?.extensions['items'], [{ variant_id: variant.id, requested: 1, available: 0 }]);
});

test('changeStock sets and adjusts stock, and rejects an outdated expected quantity', async (t) => {
  const { ctx } = t.context;
  const { variant } = await buildProduct(ctx, { variants: [{ stock: 5 }] });
  const { sku } = variant;
  await transact(ctx, (ctx) => changeStock(ctx, [{ sku, change: -2, ifQuantity: 5 }]));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 3, held: 0, ledger: 3 });

  const errorOf = async (change: object) =>
    (await t.throwsAsync<DomainError>(transact(ctx, (ctx) => changeStock(ctx, [{ sku, ...change }]))))?.code;
  t.is(await errorOf({ quantity: 9, ifQuantity: 5 }), 'version_conflict');
  t.is(await errorOf({ change: -4 }), 'insufficient_stock');
  t.is(await errorOf({ sku: 'NO-SUCH', quantity: 1 }), 'not_found');

  await transact(ctx, (ctx) => changeStock(ctx, [{ sku, quantity: null }]));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: null, held: 0, ledger: 0 });
  t.is(await errorOf({ change: 1 }), 'invalid_request');
  await transact(ctx, (ctx) => changeStock(ctx, [{ sku, quantity: 8 }]));
  t.deepEqual(await stockOf(ctx, variant.id), { stock: 8, held: 0, ledger: 8 });
});

test('stock equals its ledger and is never oversold after random movements', async (t) => {
  const { ctx } = t.context;
  const step = fc.record({
    kind: fc.constantFrom('hold', 'release', 'capture', 'take', 'restock', 'set', 'adjust'),
    quantity: fc.integer({ min: 1, max: 4 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
      const { variant } = await buildProduct(ctx, { variants: [{ stock: 5 }] });
      let held = 0;
      for (const { kind, quantity } of steps) {
        const moved = await transact(ctx, (ctx) => apply(ctx, kind, variant.id, quantity, held)).catch(
          (error: unknown) => {
            if (error instanceof DomainError) return false;
            throw error;
          },
        );
        if (kind === 'hold' && moved) held += quantity;
        if ((kind === 'release' || kind === 'capture') && quantity <= held) held -= quantity;
      }
      const now = await stockOf(ctx, variant.id);
      t.is(now.stock, now.ledger);
      t.is(now.held, held);
      t.true((now.stock ?? 0) >= 0);
    }),
    { numRuns: 25 },
  );
});

async function apply(
  ctx: InTransaction,
  kind: string,
  variantId: string,
  quantity: number,
  held: number,
): Promise<boolean> {
  const lines = [{ variantId, quantity }];
  if ((kind === 'release' || kind === 'capture') && quantity > held) return false;
  if (kind === 'hold') await holdStock(ctx, lines);
  if (kind === 'release') await releaseStock(ctx, lines);
  if (kind === 'capture') return captureStock(ctx, lines);
  if (kind === 'take') return takeStock(ctx, lines);
  if (kind === 'restock') await restock(ctx, lines);
  if (kind === 'set') await changeStock(ctx, [{ variantId, quantity: Math.max(quantity, held) }]);
  if (kind === 'adjust') await changeStock(ctx, [{ variantId, change: quantity - 2 }]);
  return true;
}

test.serial('holdStock, captureStock and restock execute two statements each for many variants', async (t) => {
  const { ctx, services } = t.context;
  const { variants } = await buildProduct(ctx, { variants: [{}, {}, {}] });
  const lines = variants.map(({ id }) => ({ variantId: id, quantity: 1 }));
  for (const move of [holdStock, captureStock, restock, takeStock, restock, holdStock, releaseStock]) {
    const { statements } = await countStatements(services, () =>
      transact(ctx, async (ctx) => void (await move(ctx, lines))),
    );
    t.is(statements.length, 2, move.name);
  }
});
