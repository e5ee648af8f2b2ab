import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { priceLines, removeProduct } from '#src/domain/catalog/index.ts';
import type { WantedLine } from '#src/domain/catalog/price-lines.ts';
import type { DomainError } from '#src/lib/errors.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

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
    t.like(error?.extensions['errors'], [{ path: `/items/1/${field}`, code }] as any);
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
