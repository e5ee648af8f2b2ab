import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { saveProducts } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { rawSql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
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
