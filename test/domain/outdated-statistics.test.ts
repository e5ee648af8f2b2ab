import anyTest, { type TestFn } from 'ava';
import { lockRow, readRow, saveRow } from '#src/database/rows.ts';
import { read, transact } from '#src/database/transact.ts';
import { saveProducts } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { GiftCard } from '#src/domain/promotions/gift-card.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { explainStatements } from '#test/support/explain-statements.ts';
import { stonewareInputs } from '#test/support/factories/catalog.ts';
import { importKinds, importMany, readsOfImport } from '#test/support/factories/imports.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

let analyzed: Promise<unknown> | undefined;

/** Analyze the tables when one store has three of everything. PostgreSQL expects no rows of another one by its id. */
async function analyzeSmallStore({ ctx, services }: TestContext): Promise<void> {
  const small: Context = { ...ctx, tenant: await buildTenant(services) };
  await transact(small, (ctx) => saveProducts(ctx, stonewareInputs(3), {}));
  for (const kind of importKinds) await importMany(small, kind, 3);
  await services.execute(rawSql('analyze'));
}

for (const kind of importKinds) {
  test.serial(
    `an import of ${kind} does not read what is already there when statistics know another store`,
    async (t) => {
      const { ctx, services } = t.context;
      await (analyzed ??= analyzeSmallStore(t.context));
      t.deepEqual(await readsOfImport(services, ctx, kind), []);
    },
  );
}

test.serial('a row is locked, read and saved by its key when statistics know another store', async (t) => {
  const { ctx, services } = t.context;
  await (analyzed ??= analyzeSmallStore(t.context));
  await importMany(ctx, 'gift_cards', 1000);
  const ids = await read<{ id: string }>(
    ctx,
    sql`select id from gift_cards where tenant_id = ${ctx.tenant.id} limit 1`,
  );
  const [{ id = '' } = {}] = ids;
  const explained = await explainStatements(services, async () => {
    await transact(ctx, async (ctx) => Object.assign((await lockRow(ctx, GiftCard, id)) ?? {}, { balanceCents: 1 }));
    const found = await readRow(ctx, GiftCard, id);
    if (found) t.true(await saveRow(ctx, Object.assign(found.entity, { balanceCents: 2 }), ['version']));
  });
  t.is(explained.length, 2 * 4, 'by the custom and the generic plan');
  t.deepEqual(
    explained.filter(({ read }) => read > 1),
    [],
  );
});
