import { type Clock, fromNow } from './clock.ts';
import { rawSql, type Sql, sql } from './sql.ts';

/** How long the rows of a table are kept. An index begins with the column of their age, so that old ones are found at once. */
export interface Retention {
  readonly table: string;
  /** The column of the moment from which on the time counts. */
  readonly age: string;
  readonly retainedMs: number;
  /** Which rows are removed then, as a condition on `old`: all of them without it. */
  readonly only?: Sql | ((now: Date) => Sql);
  /** Whether the index is one of ranges (BRIN), which keeps no order: rows lie where they were appended. */
  readonly isAppended?: true;
}

/** The statement that removes so many rows at most that are kept no longer, and returns a row for each. */
export function removalOf({ table, age, retainedMs, only, isAppended }: Retention, clock: Clock, limit: number): Sql {
  const [name, column] = [rawSql(table), rawSql(`old.${age}`)];
  const condition = typeof only === 'function' ? only(clock.now()) : (only ?? sql`true`);
  return sql`
    delete from ${name} where ctid = any(array(
      select old.ctid from ${name} old
      where ${column} < ${fromNow(clock, -retainedMs)} and ${condition}
      ${isAppended ? sql`` : sql`order by ${column}`} limit ${limit} for update of old skip locked))
    returning 1`;
}
