import anyTest, { type TestFn } from 'ava';
import { readOne, transact } from '#src/database/transact.ts';
import { saveProducts } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { embedDocument, indexDocument, searchDocuments } from '#src/domain/search/index.ts';
import { sql } from '#src/lib/sql.ts';
import { explainStatements, leaveUnanalyzed } from '#test/support/explain-statements.ts';
import { stonewareInputs } from '#test/support/factories/catalog.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { until } from '#test/support/until.ts';
import { type EmbeddingsContext, useEmbeddings } from '#test/support/use-embeddings.ts';

const test = anyTest as TestFn<EmbeddingsContext>;
await useEmbeddings(test);

// Serial, because running jobs takes those of all stores in this file's database.

const products = 600;

/** Half of a store's products are mugs, and PostgreSQL has no statistics of them. */
async function fillStore({ ctx, services }: EmbeddingsContext): Promise<void> {
  await leaveUnanalyzed(services, ['products', 'product_tags', 'variants', 'search_documents', 'search_embeddings']);
  const inputs = stonewareInputs(products);
  await transact(ctx, (ctx) => saveProducts(ctx, inputs, {}));
}

test.serial('searchDocuments does not scan all products when tables are not analyzed', async (t) => {
  const { ctx, services } = t.context;
  await fillStore(t.context);
  await runJobs(services, { rounds: products });
  await until(async () => (await searchDocuments(ctx, { q: 'cup' })).mode === 'semantic');

  const byText: Context = { ...ctx, ports: { ...ctx.ports, embedder: undefined } };
  for (const [mode, asker] of [
    ['text', byText],
    ['meaning', ctx],
  ] as const) {
    for (const q of ['mug', 'stoneware', 'mgu', 'stonewaremug', 'stoneware cup', 'zeppelin']) {
      await until(async () => !(await searchDocuments(asker, { q })).degraded);
      const explained = await explainStatements(services, () => searchDocuments(asker, { q }), {
        pattern: /candidates as/,
      });
      t.true(explained.length > 0, `"${q}" by ${mode}`);
      // Each row is read for each tier of words, in about ten plan steps.
      for (const { handled } of explained) t.true(handled < 40 * products, `"${q}" by ${mode}: ${handled} rows`);
    }
  }
});

test.serial('indexDocument and embedDocument do not scan other documents when tables are not analyzed', async (t) => {
  const { ctx, services } = t.context;
  await fillStore(t.context);
  await runJobs(services, { rounds: products });
  const { id = '' } =
    (await readOne<{ id: string }>(
      ctx,
      sql`
    select id from products where tenant_id = ${ctx.tenant.id} and slug = 'product-300'`,
    )) ?? {};
  const handledBy = async (work: typeof indexDocument) => {
    const explained = await explainStatements(services, () => work(ctx, { kind: 'product', id }), {
      pattern: /search_|variants/,
    });
    return Math.max(...explained.map(({ handled }) => handled));
  };
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    update search_embeddings set content_hash = 'x' where tenant_id = ${ctx.tenant.id} and subject_id = ${id}`),
  );
  t.true((await handledBy(indexDocument)) < products / 20);
  // The other documents may be read once for the whole batch, and so may their versions before, until a vacuum.
  t.true((await handledBy(embedDocument)) < 12 * products);
  t.true((await handledBy(embedDocument)) < products / 20);
});
