import { rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { ExportRange } from '../export-kind.ts';

/** The condition that a column lies within a range. */
export function within(column: string, { from, to }: ExportRange): Sql {
  const at = rawSql(column);
  return sql`(${from}::timestamptz is null or ${at} >= ${from}::timestamptz)
    and (${to}::timestamptz is null or ${at} < ${to}::timestamptz)`;
}
