import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { removeProduct, saveProducts } from '#src/domain/catalog/index.ts';
import { indexDocument, listProductsByWords } from '#src/domain/search/index.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildProduct, type GivenProduct, stonewareInputs } from '#test/support/factories/catalog.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('listProductsByWords finds rare words of older products, and only published products', async (t) => {
  const { ctx } = t.context;
  const build = async (slug: string, given: GivenProduct = {}) => {
    const { id } = await buildProduct(ctx, { slug, name: 'Lamp', ...given });
    await indexDocument(ctx, { kind: 'product', id });
  };
  await build('standing', { name: 'Stehlampe', description: 'With 100% oak.' });
  await build('cafe', { name: 'Café lamp', variants: [{ sku: 'CL-1' }] });
  await build('draft', { status: 'draft' });
  await build('removed');
  await build('hidden');
  await build('renamed');
  await transact(ctx, (ctx) => removeProduct(ctx, 'removed'));
  await buildProduct(ctx, { slug: 'hidden', name: 'Lamp', status: 'draft' });
  await buildProduct(ctx, { slug: 'renamed', name: 'Light' });
  await transact(ctx, (ctx) => saveProducts(ctx, stonewareInputs(600), {}));

  const slugsOf = async (q: string) => (await listProductsByWords(ctx, { q })).rows.map(({ slug }) => slug);
  t.deepEqual(await slugsOf('lamp'), ['cafe', 'standing'], 'parts of words count, and documents may be out of date');
  t.deepEqual(await slugsOf('LAMP café'), ['cafe']);
  t.deepEqual(await slugsOf('cl-1'), ['cafe']);
  t.deepEqual(await slugsOf('100% oak'), ['standing']);
  t.deepEqual(await slugsOf('10_% oak'), []);
  t.deepEqual(await slugsOf('lamp zeppelin'), []);
  t.is((await slugsOf('stoneware')).length, 20);
  const short = await listProductsByWords(ctx, { q: '%' });
  t.deepEqual(short.rows, []);
  t.truthy(short.cursor, 'what is too short for the index is looked for page by page');
});
