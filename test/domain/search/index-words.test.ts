import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { removeProduct } from '#src/domain/catalog/index.ts';
import { guessWords } from '#src/domain/search/guess-words.ts';
import { indexDocument } from '#src/domain/search/index.ts';
import { countMax } from '#src/domain/search/vocabulary.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildProduct, type GivenProduct } from '#test/support/factories/catalog.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

async function wordsOf({ ctx }: TestContext): Promise<Record<string, number>> {
  const rows = await read<{ written: string; documents: number }>(
    ctx,
    sql`select written, documents from search_words where tenant_id = ${ctx.tenant.id} order by written`,
  );
  return Object.fromEntries(rows.map(({ written, documents }) => [written, documents]));
}

async function index({ ctx }: TestContext, given: GivenProduct): Promise<{ id: string; slug: string }> {
  const { id, slug } = await buildProduct(ctx, { category: 'Kitchen', ...given, variants: [{ name: 'One' }] });
  await indexDocument(ctx, { kind: 'product', id });
  return { id, slug };
}

test('indexDocument counts each word once per document, also when it runs twice, changes or is removed', async (t) => {
  const { ctx } = t.context;
  const bowl = await index(t.context, { slug: 'bowl', name: 'Oak bowl, oak 12', tags: ['oak'] });
  await index(t.context, { slug: 'plate', name: 'Oak plate', category: 'Café' });
  await indexDocument(ctx, { kind: 'product', id: bowl.id });
  t.deepEqual(await wordsOf(t.context), { bowl: 1, café: 1, kitchen: 1, oak: 2, one: 2, plate: 1 });

  await index(t.context, { slug: 'bowl', name: 'Ash dish' });
  t.deepEqual(await wordsOf(t.context), { ash: 1, café: 1, dish: 1, kitchen: 1, oak: 1, one: 2, plate: 1 });

  await transact(ctx, (ctx) => removeProduct(ctx, bowl.slug));
  await indexDocument(ctx, { kind: 'product', id: bowl.id });
  await indexDocument(ctx, { kind: 'product', id: bowl.id });
  t.deepEqual(await wordsOf(t.context), { café: 1, oak: 1, one: 1, plate: 1 });
});

test('indexDocument counts a frequent word up to the maximum and keeps it from then on', async (t) => {
  const { ctx } = t.context;
  const { id, slug } = await index(t.context, { slug: 'bowl', name: 'Oak bowl' });
  const count = (documents: number) =>
    transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
        update search_words set documents = ${documents} where tenant_id = ${ctx.tenant.id} and written = 'oak'`),
    );
  await count(countMax - 1);
  await index(t.context, { slug: 'plate', name: 'Oak plate' });
  await index(t.context, { slug: 'dish', name: 'Oak dish' });
  t.is((await wordsOf(t.context))['oak'], countMax);
  await transact(ctx, (ctx) => removeProduct(ctx, slug));
  await indexDocument(ctx, { kind: 'product', id });
  t.is((await wordsOf(t.context))['oak'], countMax);
});

test('guessWords corrects words from those of the own store, two edits in a long one included', async (t) => {
  const { ctx } = t.context;
  await index(t.context, { name: 'Stoneware café mug', category: 'Terracotta' });
  const guess = async (typed: string) => (await guessWords(ctx, typed))?.all;
  t.is(await guess('stonwear'), `('stoneware')`);
  t.is(await guess('mgu cafe'), `('mug') & ('café')`);
  t.is(await guess('terrac -mug zeppelin'), `('terracotta')`);
  t.is(await guess('zeppelin'), undefined);
  t.is(await guessWords({ ...ctx, tenant: { ...ctx.tenant, id: 'ten_other' } }, 'mgu'), undefined);
});
