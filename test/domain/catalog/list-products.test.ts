import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import {
  type FindCandidates,
  listProducts,
  type ProductFilter,
  type ProductRow,
  saveProducts,
} from '#src/domain/catalog/index.ts';
import type { ProductInput } from '#src/domain/catalog/product-input.ts';
import type { Context } from '#src/domain/context.ts';
import type { Page } from '#src/lib/cursor.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

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
    requested.push(words);
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
