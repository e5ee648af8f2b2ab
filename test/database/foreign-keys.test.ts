import anyTest, { type TestFn } from 'ava';

import { rawSql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('what is deleted with a row is found by an index that begins with the columns of its foreign key', async (t) => {
  const cascading = await t.context.services.execute<{ name: string; isIndexed: boolean }>(
    rawSql(`
    select f.conrelid::regclass || ' ' || pg_get_constraintdef(f.oid) as name, exists (
      select from pg_index i
      where i.indrelid = f.conrelid and i.indpred is null
        and (i.indkey::int2[])[0:cardinality(f.conkey) - 1] @> f.conkey) as "isIndexed"
    from pg_constraint f where f.contype = 'f' and f.confdeltype = 'c'`),
  );
  t.true(cascading.length > 20);
  t.deepEqual(
    cascading.filter(({ isIndexed }) => !isIndexed).map(({ name }) => name),
    [],
  );
});
