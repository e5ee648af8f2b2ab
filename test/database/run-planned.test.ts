import anyTest, { type TestFn } from 'ava';
import { runPlanned } from '#src/database/run-statement.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { fillOutbox } from '#test/support/fill-outbox.ts';
import { until } from '#test/support/until.ts';

const test = anyTest as TestFn<TestContext>;
// All statements run on one connection.
useContext(test, { environment: { DATABASE_POOL_MAX: '1' } });

test.serial('runPlanned plans a statement once and reads a table by index that was empty then', async (t) => {
  const { services, clock } = t.context;
  const { pool } = services.context().database;
  await services.execute(sql`analyze outbox`);
  const find = (queue: string) =>
    runPlanned(
      pool,
      sql`select id from outbox where queue = ${queue} and next_relay_at <= now() and relays = 0 limit 1`,
    );
  await find('emails');
  await fillOutbox(services, { store: 'ten_1', count: 3000, dueAt: clock.now() });
  for (let time = 0; time < 10; time += 1) await find('emails');

  const plans = await services.execute(sql`
    select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
    where statement like '%limit 1'`);
  t.deepEqual(plans, [{ generic: 11, custom: 0 }]);
  await until(
    async () => {
      const [read] = await services.execute<{ scans: number; rows: number }>(sql`
        select idx_scan::int as scans, seq_tup_read::int as rows from pg_stat_user_tables where relname = 'outbox'`);
      return read && read.scans >= 11 ? t.is(read.rows, 0) : false;
    },
    { what: 'PostgreSQL to count the scans' },
  );
});
