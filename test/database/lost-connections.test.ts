import anyTest, { type TestFn } from 'ava';

import { read, transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { dieAt } from '#test/support/die-at.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test, { environment: { DATABASE_POOL_MAX: '2' } });

test.serial('connections that PostgreSQL ends during a transaction are returned to the pool', async (t) => {
  const { ctx } = t.context;
  for (let time = 0; time < 5; time += 1) {
    await t.throwsAsync(transact(ctx, (ctx) => ctx.tx.execute(sql`select pg_terminate_backend(pg_backend_pid())`)));
  }
  t.deepEqual(await transact(ctx, (ctx) => ctx.tx.execute(sql`select 1 as one`)), [{ one: 1 }]);
});

test.serial('transactions that cannot begin return their connections to the pool', async (t) => {
  const { ctx, services } = t.context;
  for (let time = 0; time < 5; time += 1)
    await dieAt(services, 1, () => transact(ctx, (ctx) => ctx.tx.execute(sql`select 1`)));
  t.deepEqual(await read(ctx, sql`select 1 as one`), [{ one: 1 }]);
});
