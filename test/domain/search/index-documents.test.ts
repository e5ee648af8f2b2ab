import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { removeProduct, saveProducts } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { indexDocuments } from '#src/domain/search/index.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { stonewareInputs } from '#test/support/factories/catalog.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

/** Save so many products whose names have this word. @returns their ids */
async function save(ctx: Context, count: number, word: string): Promise<string[]> {
  const inputs = stonewareInputs(count).map((input) => ({ ...input, name: `${input.name} ${word}` }));
  const changes = await transact(ctx, (ctx) => saveProducts(ctx, inputs, {}));
  return changes.map(({ id }) => id);
}

const index = (ctx: Context, documentIds: readonly string[]) => indexDocuments(ctx, { kind: 'product', documentIds });

/** In how many documents each word is. */
async function wordsOf(ctx: Context): Promise<Record<string, number>> {
  const rows = await read<{ written: string; documents: number }>(
    ctx,
    sql`select written, documents from search_words where tenant_id = ${ctx.tenant.id} order by written`,
  );
  return Object.fromEntries(rows.map(({ written, documents }) => [written, documents]));
}

/** What changes whenever the documents are written. */
const versionsOf = (ctx: Context) =>
  read(ctx, sql`select ctid::text, xmin::text from search_documents where tenant_id = ${ctx.tenant.id} order by 1`);

test.serial('indexDocuments executes as many statements for 25 products as for two', async (t) => {
  const { ctx, services } = t.context;
  const ids = await save(ctx, 25, 'glazed');
  const costOf = async (some: readonly string[]) =>
    (await countStatements(services, () => index(ctx, some))).statements.length;
  t.is(await costOf(ids.slice(0, 2)), await costOf(ids.slice(2)));
});

test('indexDocuments counts a word in each document that has it, and writes no document that is as before', async (t) => {
  const { ctx } = t.context;
  const ids = await save(ctx, 30, 'glazed');
  await index(ctx, ids);
  t.deepEqual(await wordsOf(ctx), { clay: 30, glazed: 30, mug: 15, plate: 15, stoneware: 30 });

  const versions = await versionsOf(ctx);
  await index(ctx, ids);
  t.deepEqual(await versionsOf(ctx), versions);

  await save(ctx, 20, 'matte');
  await transact(ctx, (ctx) => removeProduct(ctx, 'product-29'));
  await index(ctx, ids);
  t.deepEqual(await wordsOf(ctx), { clay: 29, glazed: 9, matte: 20, mug: 14, plate: 15, stoneware: 29 });

  await save(ctx, 29, 'matte');
  for (const number of Array.from({ length: 29 }).keys())
    if (number % 2) await transact(ctx, (ctx) => removeProduct(ctx, `product-${number}`));
  await index(ctx, ids);
  t.deepEqual(await wordsOf(ctx), { clay: 15, matte: 15, plate: 15, stoneware: 15 });
});
