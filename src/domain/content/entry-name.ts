import { type Sql, sql } from '#src/lib/sql.ts';

/** Identifies an entry within its store. */
export interface EntryName {
  readonly type: string;
  readonly slug: string;
}

/**
 * Whether `entries e` has this name. A range, because only the index of names can be read by it: by equality,
 * PostgreSQL reads all entries of the type while the table has no statistics.
 */
export const isNamed = ({ type, slug }: EntryName): Sql =>
  sql`(e.slug, e.type) between (${slug}, ${type}) and (${slug}, ${type})`;
