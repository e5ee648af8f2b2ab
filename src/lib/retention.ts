import { type Clock, fromNow } from './clock.ts';
import { rawSql, type Sql, sql } from './sql.ts';

/** How long the rows of a table are retained. An index begins with the column of their age, to find old rows fast. */
export interface Retention {
  readonly table: string;
  /** The column of the moment from which on the time counts. */
  readonly age: string;
  readonly retainedMs: number;
  /** Which rows are removed then, as a condition on `old`: all of them without it. */
  readonly only?: Sql | ((now: Date) => Sql);
  /** Whether the index is a BRIN index, which has no order: rows are stored in the order of their insertion. */
  readonly isAppended?: true;
}

/** The statement that deletes up to `limit` expired rows and returns one row for each. */
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
