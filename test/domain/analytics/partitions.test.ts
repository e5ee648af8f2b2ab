import anyTest, { type TestFn } from 'ava';

import { ensurePartitions } from '#src/domain/analytics/partitions.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test.serial('ensurePartitions does not wait for transactions that write the tables, nor they for it', async (t) => {
  const ctx = t.context.services.context();
  const writer = await ctx.database.pool.connect();
  try {
    await writer.query('begin; lock table analytics_event_ids in row exclusive mode');
    await ensurePartitions(ctx, '2039-01-03', '2039-01-03');
    await writer.query("set local lock_timeout = '1s'; lock table analytics_events in row exclusive mode; commit");
    t.deepEqual(await indexesOf(t.context, 'analytics_event_ids_20390103'), ['tenant_id, event_id, week']);
    t.deepEqual(await indexesOf(t.context, 'analytics_events_20390103'), ['tenant_id, occurred_at']);
  } finally {
    writer.release();
  }
});

test.serial('ensurePartitions fails soon on a locked table, so that later transactions do not wait', async (t) => {
  const ctx = t.context.services.context();
  const owner = await ctx.database.pool.connect();
  try {
    await owner.query('begin; lock table analytics_events in access exclusive mode');
    await t.throwsAsync(ensurePartitions(ctx, '2040-01-01', '2040-01-01'), { code: '55P03' });
    await owner.query('commit');
  } finally {
    owner.release();
  }
  await t.notThrowsAsync(ensurePartitions(ctx, '2040-01-01', '2040-01-01'));
});

/** The columns of the indexes of a partition that belong to those of its table. */
async function indexesOf({ services }: TestContext, name: string): Promise<string[]> {
  const rows = await services.execute<{ columns: string }>(sql`
    select (select string_agg(attname, ', ' order by attnum) from pg_attribute where attrelid = indexrelid) as columns
    from pg_index join pg_inherits on inhrelid = indexrelid where indrelid = ${name}::regclass`);
  return rows.map(({ columns }) => columns);
}
