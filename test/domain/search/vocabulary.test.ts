import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { removeProduct, saveProducts } from '#src/domain/catalog/index.ts';
import { guessWords } from '#src/domain/search/guess-words.ts';
import { indexDocument, listProductsByWords } from '#src/domain/search/index.ts';
import { chooseWords, countMax, likenessOf, type Word, wordsIn } from '#src/domain/search/vocabulary.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildProduct, type GivenProduct, stonewareInputs } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const word = (written: string, documents = 1): Word => ({
  plain: written.normalize('NFKD').replace(/\p{Mark}/gu, ''),
  written,
  documents,
});

const words = 'stoneware mug plate café jute rug cafe chair terracotta pot terry towel lamp'
  .split(' ')
  .map((written) => word(written));

const choose = (typed: string) => chooseWords(typed, words);

test('chooseWords corrects by equality, one edit, prefix, and two edits for long words', (t) => {
  t.deepEqual(choose('stoneware'), ['stoneware']);
  t.deepEqual(choose('STONWARE'), ['stoneware']);
  t.deepEqual(choose('stonwear'), ['stoneware']);
  t.deepEqual(choose('mgu'), ['mug']);
  t.deepEqual(choose('terrac'), ['terracotta']);
  t.deepEqual(choose('tery'), ['terry']);
  t.deepEqual(choose('rrgs'), [], 'two slips in a short word could be anything');
  t.deepEqual(choose('submarine'), []);
  t.deepEqual(choose('mu'), []);
});

test('chooseWords joins spellings with and without accents, and puts the more frequent word first', (t) => {
  t.deepEqual(choose('cafe'), ['café', 'cafe']);
  t.deepEqual(choose('cafés').toSorted(), ['cafe', 'café']);
  const some = [word('rug'), word('jug', 2), word('mug', 3)];
  t.deepEqual(chooseWords('ug', some), []);
  t.deepEqual(chooseWords('bug', some), ['mug', 'jug', 'rug']);
});

test('wordsIn leaves out numbers, what is too short, and repetitions', (t) => {
  t.deepEqual([...wordsIn('12 34 x1000 a b')], []);
  t.deepEqual([...wordsIn('Café mug no. 12\nMUG')], ['café', 'mug']);
});

test('likenessOf keeps the beginning or the end of every word that is one edit away', (t) => {
  for (const { plain } of words) {
    for (let at = 0; at < plain.length; at += 1) {
      const [before, removed, after] = [plain.slice(0, at), plain[at] ?? '', plain.slice(at + 1)];
      const swapped = before + (after[0] ?? '') + removed + after.slice(1);
      for (const typed of [before + after, `${before}x${after}`, `${before}x${removed}${after}`, swapped]) {
        const { start, end, edits } = likenessOf(typed);
        t.true(plain.startsWith(start) || plain.endsWith(end), `${typed} for ${plain}`);
        t.true(Math.abs(plain.length - typed.length) <= edits, `${typed} for ${plain}`);
      }
    }
  }
});

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

async function bodyOf(
  { ctx }: TestContext,
  body: { format: 'markdown' | 'html' | 'text'; value: string },
): Promise<string> {
  await buildEntry(ctx, { slug: 'care', body, summary: null });
  const [entry] = await transact(ctx, (ctx) =>
    ctx.tx.execute<{ id: string }>(sql`select id from entries where tenant_id = ${ctx.tenant.id}`),
  );
  const id = entry?.id ?? '';
  await indexDocument(ctx, { kind: 'content', id });
  const [document] = await transact(ctx, (ctx) =>
    ctx.tx.execute<{ body: string }>(sql`
    select body from search_documents where tenant_id = ${ctx.tenant.id} and subject_id = ${id}`),
  );
  return document?.body ?? '';
}

test('indexDocument indexes the text of markdown and HTML without markup', async (t) => {
  const markdown = '# Oil\n> See [the **guide**](https://shop.example/guide) and ![a bowl](bowl.png).';
  t.is(await bodyOf(t.context, { format: 'markdown', value: markdown }), 'Oil\n See the guide and a bowl.');
  t.is(await bodyOf(t.context, { format: 'html', value: '<p class="a">Oil it</p>\n<p>twice</p>' }), 'Oil it\ntwice');
});

test('indexDocument indexes 200,000 opening brackets in less than a second of processor time', async (t) => {
  for (const [format, mark] of [
    ['markdown', '['],
    ['markdown', '[]('],
    ['html', '<'],
  ] as const) {
    const before = process.threadCpuUsage();
    await bodyOf(t.context, { format, value: mark.repeat(200_000 / mark.length) });
    const { user, system } = process.threadCpuUsage(before);
    t.true(user + system < 1_000_000, `${format} ${mark}`);
  }
});

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
