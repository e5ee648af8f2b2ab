import anyTest, { type TestFn } from 'ava';

import { ensurePartitions } from '#src/domain/analytics/partitions.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test.serial('ensurePartitions fails soon on a locked table, so that later transactions do not wait', async (t) => {
  const ctx = t.context.services.context();
  const reader = await ctx.database.pool.connect();
  await reader.query('begin; lock table analytics_events in access share mode');
  await t.throwsAsync(ensurePartitions(ctx, '2040-01-01', '2040-01-01'), { code: '55P03' });
  await reader.query('commit');
  reader.release();
  await t.notThrowsAsync(ensurePartitions(ctx, '2040-01-01', '2040-01-01'));
});
