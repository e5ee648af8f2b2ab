import { type Sql, sql } from '#src/lib/sql.ts';

/** Identifies an entry within its store. */
export interface EntryName {
  readonly type: string;
  readonly slug: string;
}

/**
 * Whether `entries e` has this name. The type is compared where no index has it: otherwise PostgreSQL reads all entries
 * of the type while the table has no statistics.
 */
export const isNamed = ({ type, slug }: EntryName): Sql =>
  sql`e.slug = ${slug} and case when e.type = ${type} then true end`;
