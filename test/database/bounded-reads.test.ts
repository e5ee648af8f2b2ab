import anyTest, { type TestFn } from 'ava';
import type { Context } from '#src/domain/context.ts';
import { listManagedProductsByWords, listProductsByWords } from '#src/domain/search/index.ts';
import { rawSql } from '#src/lib/sql.ts';
import { fillStore } from '#test/bench/lib/fill-store.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { explainStatements } from '#test/support/explain-statements.ts';

/*
 * What reads up to a number of rows, however many there are: test/database/plans.test.ts excepts it, because its store
 * has fewer. Here a store has more.
 */

const test = anyTest as TestFn<TestContext>;
useContext(test);

const count = 4000;

/** What is read, and at most how many rows. */
const works: readonly (readonly [string, number, (ctx: Context) => Promise<unknown>])[] = [
  ['words of all products', 2500, (ctx) => listManagedProductsByWords(ctx, { q: 'stoneware made' })],
  ['words of a fourth of the products', 2500, (ctx) => listManagedProductsByWords(ctx, { q: 'mug' })],
  ['a word of few products', 2500, (ctx) => listManagedProductsByWords(ctx, { q: 'zeppelin' })],
  ["a shopper's word of few products", 2500, (ctx) => listProductsByWords(ctx, { q: 'stoneware zeppelin' })],
];

test.serial('what reads up to a number of rows reads no more of a large store', async (t) => {
  t.timeout(120_000);
  const { services } = t.context;
  const ctx: Context = { ...t.context.ctx, tenant: await fillStore(services, count) };
  await services.execute(rawSql('analyze'));
  for (const [name, readMax, work] of works) {
    for (const { read, kind, text, scans } of await explainStatements(services, () => work(ctx)))
      t.true(read <= readMax, `${name}: ${read} rows (${kind}) ${scans.join('; ')} ${text}`);
  }
});
