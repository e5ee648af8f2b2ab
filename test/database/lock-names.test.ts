import anyTest, { type TestFn } from 'ava';
import { lockNames } from '#src/database/lock-names.ts';
import { transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('lockNames holds a bounded number of locks, however many names are locked', async (t) => {
  await transact(t.context.ctx, async (ctx) => {
    const names = Array.from({ length: 20_000 }, (_, number) => `oak-bowl-${number}`);
    await lockNames(ctx, 'product', names);
    const [held] = await ctx.tx.execute<{ locks: number }>(
      sql`select count(*)::int as locks from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`,
    );
    t.is(held?.locks, 1024);
  });
});

test('lockNames makes transactions that lock the same names in different orders wait for each other', async (t) => {
  const names = Array.from({ length: 200 }, (_, number) => `oak-bowl-${number}`);
  const order: string[] = [];
  const hold = (own: readonly string[]) =>
    transact(t.context.ctx, async (ctx) => {
      await lockNames(ctx, 'product', own);
      order.push('in');
      await ctx.tx.execute(sql`select pg_sleep(0.01)`);
      order.push('out');
    });
  await Promise.all([hold(names), hold(names.toReversed()), hold(names.slice(50))]);
  t.deepEqual(order, ['in', 'out', 'in', 'out', 'in', 'out']);
});
