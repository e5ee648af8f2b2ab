import type { Context } from '#src/domain/context.ts';

/** How many connections to this test file's database wait for a lock. Only for what runs alone (`test.serial`). */
export async function countLockWaits({ database }: Pick<Context, 'database'>): Promise<number> {
  const { rows } = await database.pool.query(`
    select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`);
  return rows.length;
}
