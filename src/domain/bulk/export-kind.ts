import { rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { AdminArea } from '../tenants/index.ts';

export const exportFormats = ['csv', 'jsonl', 'shopify'] as const;
export type ExportFormat = (typeof exportFormats)[number];

/** Of which time things are exported: from a moment on, until before another. */
export interface ExportRange {
  readonly from: Date | null;
  readonly to: Date | null;
}

/** The condition that a column lies within a range. */
export function inRange(column: string, { from, to }: ExportRange): Sql {
  const at = rawSql(column);
  return sql`(${from}::timestamptz is null or ${at} >= ${from}::timestamptz)
    and (${to}::timestamptz is null or ${at} < ${to}::timestamptz)`;
}

/** A table of another program, with the rows that it has for one object. */
export interface TableOfObjects {
  readonly columns: readonly string[];
  rowsOf(object: Readonly<Record<string, unknown>>, ctx: Context): readonly Readonly<Record<string, unknown>>[];
}

/** What can be exported. */
export interface ExportKind {
  readonly name: string;
  /** The area of the owner's work that it belongs to: who may read that may export it. */
  readonly area: AdminArea;
  /** The columns of the table: a row of `select` has each of them. */
  readonly columns: readonly string[];
  select(ctx: Context, range: ExportRange): Sql;
  /** The same as objects for lines of JSON, where these hold more than a row of the table. */
  selectObjects?(ctx: Context, range: ExportRange): Sql;
  /** Of these objects, the table that Shopify reads. */
  readonly shopify?: TableOfObjects;
}

/** Whether this kind can be written in this format. */
export const isWrittenAs = ({ shopify }: ExportKind, format: ExportFormat): boolean =>
  format !== 'shopify' || shopify !== undefined;
