import anyTest, { type TestFn } from 'ava';
import { read, transact } from '#src/database/transact.ts';
import { changeStock } from '#src/domain/catalog/change-stock.ts';
import { holdStock, releaseStock, saveProducts, unknownSlugs } from '#src/domain/catalog/index.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { explainStatements } from '#test/support/explain-statements.ts';
import { stonewareInputs } from '#test/support/factories/catalog.ts';
import { multiplyStore } from '#test/support/multiply-store.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const none: ReadonlySet<string> = new Set();

test.serial(
  'the products of a store that has far more than the average are saved and sold by their keys',
  async (t) => {
    const { ctx, services } = t.context;
    await transact(ctx, (ctx) => saveProducts(ctx, stonewareInputs(3), {}));
    const others = new Map(Array.from({ length: 500 }, (_, number) => [`ten_${number}`, 1]));
    await multiplyStore(
      services.config.databaseUrl,
      ctx.tenant.id,
      { own: 1000, others },
      { shared: none, single: none },
    );
    await services.execute(rawSql('analyze'));

    const variants = await read<{ id: string }>(
      ctx,
      sql`select id from variants where tenant_id = ${ctx.tenant.id} order by id limit 20`,
    );
    const lines = variants.map(({ id }) => ({ variantId: id, quantity: 1 }));
    const explained = await explainStatements(services, () =>
      transact(ctx, async (ctx) => {
        const changed = stonewareInputs(3).map((product) => ({ ...product, description: 'Fired twice.' }));
        await saveProducts(ctx, changed, {});
        await unknownSlugs(
          ctx,
          Array.from({ length: 60 }, (_, number) => `none-${number}`),
        );
        await changeStock(
          ctx,
          lines.map(({ variantId }) => ({ variantId, quantity: 10 })),
        );
        await holdStock(ctx, lines);
        await releaseStock(ctx, lines);
      }),
    );
    t.true(explained.length >= 10);
    t.deepEqual(
      explained.filter(({ read }) => read > 300).map(({ kind, read, scans }) => ({ kind, read, scans })),
      [],
    );
  },
);
