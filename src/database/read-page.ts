import { keyset, type ListOrder, type ListOwner, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { TenantContext } from './context.ts';
import { type ReadOptions, read } from './transact.ts';

/** What all rows of a list have in a column with which an index begins, before the columns of the list's order. */
export interface SharedValue {
  readonly column: string;
  readonly value: string;
}

/**
 * Read one page of a list with one statement; see `keyset`.
 * @param list with `of`, only the rows with a value. It is a range and begins the order: with a plain condition,
 *   PostgreSQL expects to find such rows soon among all of the store's, and reads them all where there are none
 * @param select the rows of the whole list, as a query that ends with its conditions. Its `position` is a further column,
 *   preceded by a comma
 * @throws DomainError `invalid_cursor`
 */
export async function readPage<Row>(
  ctx: TenantContext & ListOwner,
  { name, of, ...order }: ListOrder & { readonly name: string; readonly of?: SharedValue | undefined },
  { cursor, limit = 20 }: PageRequest,
  select: (position: Sql) => Sql,
  options?: ReadOptions,
): Promise<Page<Row>> {
  const list = of
    ? keyset(ctx, `${name} by ${of.column}`, { ...order, columns: [of.column, ...order.columns] }, cursor)
    : keyset(ctx, name, order, cursor);
  const isOf = of ? sql` and ${rangeOf(of, order, cursor !== undefined)}` : sql``;
  const rows = await read<Row & { readonly position: Position }>(
    ctx,
    sql`${select(sql`, ${list.position} as position`)}${isOf} and ${list.after} order by ${list.by} limit ${limit + 1}`,
    options,
  );
  return list.page(rows, limit);
}

/** After a cursor, which is the other end of the range, a second one would have all rows before it read again. */
function rangeOf({ column, value }: SharedValue, { descending }: Omit<ListOrder, 'columns'>, hasCursor: boolean): Sql {
  const name = rawSql(column);
  if (!hasCursor) return sql`${name} between ${value} and ${value}`;
  return descending ? sql`${name} >= ${value}` : sql`${name} <= ${value}`;
}
