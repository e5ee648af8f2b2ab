import { asPlatform } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { rawSql, type Sql, sql } from '#src/lib/sql.ts';
import { isShuttingDown, type PlatformContext } from './context.ts';

/**
 * How long the rows of a table are stored. An index begins with the column of their age, so that old ones are found.
 */
export interface Retention {
  readonly table: string;
  /** The column from which the time counts. */
  readonly age: string;
  readonly retainedMs: number;
  /** Which rows are then removed, as a condition on `old`. Default: all of them. */
  readonly only?: Sql | ((now: Date) => Sql);
  /** How many are removed at once, where very many rows of other tables go with each. */
  readonly batchMax?: number;
}

/** A batch is one transaction, so that no other transaction waits long for its locks. */
const defaultBounds = { batchSize: 2000, batchesMax: 25 };

/**
 * Remove the expired rows of these tables, one table after the other, for all stores. One call removes a limited number
 * of each table; where rows are left, the job is executed again.
 *
 * @throws Snooze when rows are left
 */
export async function removeExpired(
  ctx: PlatformContext,
  retentions: readonly Retention[],
  bounds = defaultBounds,
): Promise<void> {
  let isDone = true;
  for (const retention of retentions) {
    isDone = (await removeFrom(ctx, retention, bounds)) && isDone;
  }
  if (!isDone) throw leftForNextRun();
}

/** The rest is removed by the next attempt, after other jobs had their turn. */
export const leftForNextRun = () => new Snooze(seconds(1), 'rows are left to be removed');

/** @returns whether no expired row is left */
async function removeFrom(ctx: PlatformContext, retention: Retention, bounds: typeof defaultBounds): Promise<boolean> {
  const { batchMax = bounds.batchSize } = retention;
  const batchSize = Math.min(batchMax, bounds.batchSize);
  for (let batch = 0; batch < bounds.batchesMax && !isShuttingDown(ctx); batch += 1) {
    const removed = await asPlatform(ctx, 'expired rows belong to every store', (ctx) =>
      ctx.tx.execute(removalOf(ctx, retention, batchSize)),
    );
    if (removed.length < batchSize) return true;
  }
  return false;
}

/** The statement that removes at most `limit` expired rows and returns a row for each. */
function removalOf({ clock }: PlatformContext, { table, age, retainedMs, only }: Retention, limit: number): Sql {
  const [name, column] = [rawSql(table), rawSql(`old.${age}`)];
  const condition = typeof only === 'function' ? only(clock.now()) : (only ?? sql`true`);
  return sql`
    delete from ${name} where ctid = any(array(
      select old.ctid from ${name} old
      where ${column} < ${fromNow(clock, -retainedMs)} and ${condition}
      order by ${column} limit ${limit} for update of old skip locked))
    returning 1`;
}
