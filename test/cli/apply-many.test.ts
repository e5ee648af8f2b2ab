import { EntityManager } from '@mikro-orm/core';
import anyTest, { type TestFn } from 'ava';
import { applyStore } from '#src/cli/apply/apply-store.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { leaveUnanalyzed } from '#test/support/explain-statements.ts';
import { stonewareInputs } from '#test/support/factories/catalog.ts';
import { loadFileOf } from '#test/support/load-file-of.ts';
import { until } from '#test/support/until.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const tables = ['products', 'product_tags', 'variants', 'stock_movements'];

test.serial('apply reads as many rows for each of 2,000 new products as for one', async (t) => {
  const { services } = t.context;
  await leaveUnanalyzed(services, tables);
  await applyProducts(t.context, 'first', 500);
  const before = await countRowsRead(t.context, 500);
  await applyProducts(t.context, 'second', 2000);
  const read = (await countRowsRead(t.context, 2500)) - before;
  t.true(read < 2000 * 15, `${read} rows`);
});

test.serial('apply looks for changes in a part of a long file at a time, not in all of it', async (t) => {
  const list = <Item>(itemOf: (number: number) => Item) => Array.from({ length: 260 }, (_, number) => itemOf(number));
  const sections = {
    promo_codes: list((number) => ({ code: `CODE${number}`, type: 'free_shipping' })),
    gift_cards: list((number) => ({ code: `CARD-${100_000 + number}`, balance_cents: 500 })),
    partners: list((number) => ({ code: `partner-${number}`, name: 'Ada' })),
    content: list((number) => ({ type: 'article', slug: `article-${number}`, title: 'Clay' })),
  };
  const compared = await comparedAtOnce(() => apply(t.context, 'long', sections));
  t.true(compared > 200);
  t.true(compared < 350, `${compared} entities`);
});

/** How many entities the largest unit of work has had when it looked for changes. */
async function comparedAtOnce(work: () => Promise<void>): Promise<number> {
  const { flush } = EntityManager.prototype;
  let most = 0;
  EntityManager.prototype.flush = function () {
    most = Math.max(most, this.getUnitOfWork().getIdentityMap().values().length);
    return flush.call(this);
  };
  await work().finally(() => (EntityManager.prototype.flush = flush));
  return most;
}

const applyProducts = (context: TestContext, slug: string, count: number) =>
  apply(context, slug, { products: stonewareInputs(count) });

async function apply({ services }: TestContext, slug: string, sections: object): Promise<void> {
  const store = { slug, currency: 'USD', storefrontUrl: 'https://shop.example', ownerEmail: 'owner@shop.example' };
  const options = { dryRun: false, prune: false, setStock: false };
  await applyStore(services.context(), loadFileOf(services, store, sections), options, () => undefined);
}

/** The rows of the catalogue that were read so far, as soon as PostgreSQL has counted those of this many products. */
async function countRowsRead({ services }: TestContext, products: number): Promise<number> {
  const counted = await until(
    async () => {
      const [row] = await services.execute<{ products: number; read: number }>(sql`
        select max(n_tup_ins) filter (where relname = 'products')::int as products,
          sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::int as read
        from pg_stat_user_tables where relname = any(${tables})`);
      return row?.products === products ? row : undefined;
    },
    { what: 'PostgreSQL to count the rows' },
  );
  return counted.read;
}
