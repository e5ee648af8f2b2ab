import anyTest, { type TestFn } from 'ava';
import { listAudit } from '#src/domain/audit/index.ts';
import { readOverview } from '#src/domain/backoffice/index.ts';
import { listOperations } from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';
import { listLeads } from '#src/domain/leads/index.ts';
import { listManagedOrders } from '#src/domain/orders/index.ts';
import { listManagedProductsByWords, listProductsByWords } from '#src/domain/search/index.ts';
import { listLabels } from '#src/domain/shipping/index.ts';
import { scopes } from '#src/domain/tenants/api-key.ts';
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
  // By either order of reading: the newest 10,000 are all of them here.
  ['words of all products', count + 1000, (ctx) => listManagedProductsByWords(ctx, { q: 'stoneware made' })],
  ['a word of few products', 2500, (ctx) => listManagedProductsByWords(ctx, { q: 'zeppelin' })],
  ["a shopper's word of few products", 2500, (ctx) => listProductsByWords(ctx, { q: 'stoneware zeppelin' })],
  ['what waits in a store', 2500, (ctx) => readOverview(ctx, scopes)],
  ['orders without a label, of which there is none', 100, (ctx) => listManagedOrders(ctx, { without_label: true })],
  [
    'imports of a kind that has none',
    100,
    (ctx) => listOperations(ctx, { type: 'import', kinds: ['content', 'partners'] }),
  ],
  ['labels of a state that none has', 100, (ctx) => listLabels(ctx, { state: 'voided' })],
  [
    'entries of the audit log about a kind that none has',
    100,
    (ctx) => listAudit(ctx, { subjectKind: 'order', limit: 20 }),
  ],
  ['leads of a source that none has', 100, (ctx) => listLeads(ctx, { source: 'quiz' })],
];

test.serial('what reads up to a number of rows reads no more of a large store', async (t) => {
  t.timeout(120_000);
  const { services } = t.context;
  const ctx: Context = { ...t.context.ctx, tenant: await fillStore(services, count) };
  await services.execute(rawSql('analyze'));
  const beyond: string[] = [];
  for (const [name, readMax, work] of works) {
    for (const { read, kind, scans } of await explainStatements(services, () => work(ctx)))
      if (read > readMax) beyond.push(`${name}: ${read} rows (${kind}) ${scans.join('; ')}`);
  }
  t.deepEqual(beyond, []);
});

test.serial('an owner finds every product with a word, whether or not many of the newest have it', async (t) => {
  t.timeout(120_000);
  const { services } = t.context;
  const ctx: Context = { ...t.context.ctx, tenant: await fillStore(services, count) };
  for (const [q, expected] of [
    ['mug', count / 4],
    ['zeppelin', count / 1000],
    // The newest thousand of all, and one more.
    ['made', 1001],
  ] as const) {
    const found: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await listManagedProductsByWords(ctx, { q, cursor, limit: 100 });
      found.push(...page.rows.map(({ id }) => id));
      cursor = page.cursor ?? undefined;
    } while (cursor !== undefined);
    t.is(new Set(found).size, expected, q);
    t.deepEqual(found, found.toSorted().reverse(), q);
    if (q === 'made') t.is(found.at(-1), `prod_${String(count - 1000).padStart(26, '0')}`);
  }
});
