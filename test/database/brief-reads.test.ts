import anyTest, { type TestFn } from 'ava';
import { isDatabaseAway } from '#src/database/is-database-away.ts';
import { read } from '#src/database/transact.ts';
import { findEntry } from '#src/domain/content/index.ts';
import type { Context } from '#src/domain/context.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const request = (ctx: Context, statement: Sql) => read<{ value: number }>(ctx, statement, { brief: true });

/** How many connections were taken meanwhile. Only for what runs alone. */
async function taken(ctx: Context, work: () => Promise<unknown>): Promise<number> {
  const { pool } = ctx.database;
  let count = 0;
  const watch = () => void (count += 1);
  pool.on('acquire', watch);
  await work();
  pool.off('acquire', watch);
  return count;
}

test.serial('brief reads of one turn share a connection, ten at a time, and each gets its own result', async (t) => {
  const { ctx } = t.context;
  const numbers = Array.from({ length: 25 }, (_, number) => number);
  const connections = await taken(ctx, async () => {
    const rows = await Promise.all(numbers.map((number) => request(ctx, sql`select ${number}::int as value`)));
    t.deepEqual(
      rows,
      numbers.map((value) => [{ value }]),
    );
  });
  t.is(connections, 3);
  t.is(await taken(ctx, () => request(ctx, sql`select 1 as value`)), 1);
});

test.serial('a brief read that fails does not affect others, and the next ones get a working connection', async (t) => {
  const { ctx } = t.context;
  const divided = (by: number) => request(ctx, sql`select 6 / ${by}::int as value`);
  for (let time = 0; time < 2; time += 1) {
    const results = await Promise.allSettled([divided(1), divided(0), divided(2)]);
    t.deepEqual(
      results.map((result) => (result.status === 'fulfilled' ? result.value : 'failed')),
      [[{ value: 6 }], 'failed', [{ value: 3 }]],
    );
  }
});

test.serial('brief reads on a lost connection all fail, and it is not used again', async (t) => {
  const { ctx } = t.context;
  const ended = request(ctx, sql`select pg_terminate_backend(pg_backend_pid())::int as value`);
  const results = await Promise.allSettled([
    ended,
    request(ctx, sql`select 1 as value`),
    request(ctx, sql`select 2 as value`),
  ]);
  t.true(results.every((result) => result.status === 'rejected' && isDatabaseAway(result.reason)));
  t.deepEqual(await request(ctx, sql`select 3 as value`), [{ value: 3 }]);
});

test.serial('brief reads that share a connection see only the rows of their own store', async (t) => {
  const { ctx, services } = t.context;
  const other = { ...ctx, tenant: await buildTenant(services) };
  await buildEntry(ctx, { slug: 'care', title: 'Ours' });
  await buildEntry(other, { slug: 'care', title: 'Theirs' });
  const seen = (of: Context) => read<{ title: string }>(of, sql`select title from entries`, { brief: true });
  const connections = await taken(ctx, async () => {
    const titles = await Promise.all([ctx, other, ctx].map(async (of) => (await seen(of)).map(({ title }) => title)));
    t.deepEqual(titles, [['Ours'], ['Theirs'], ['Ours']]);
    t.deepEqual(
      (await Promise.all([ctx, other].map((of) => findEntry(of, 'article', 'care')))).map(({ title }) => title),
      ['Ours', 'Theirs'],
    );
  });
  t.is(connections, 2);
});
