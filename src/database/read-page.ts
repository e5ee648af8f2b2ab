import { keyset, type ListOrder, type ListOwner, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { TenantContext } from './context.ts';
import { type ReadOptions, read } from './transact.ts';

/**
 * Read one page of a list with one statement; see `keyset`.
 * @param select the rows of the whole list, as a query that ends with its conditions. Its `position` is a further column,
 *   preceded by a comma
 * @throws DomainError `invalid_cursor`
 */
export async function readPage<Row>(
  ctx: TenantContext & ListOwner,
  { name, ...order }: ListOrder & { readonly name: string },
  { cursor, limit = 20 }: PageRequest,
  select: (position: Sql) => Sql,
  options?: ReadOptions,
): Promise<Page<Row>> {
  const list = keyset(ctx, name, order, cursor);
  const rows = await read<Row & { readonly position: Position }>(
    ctx,
    sql`${select(sql`, ${list.position} as position`)} and ${list.after} order by ${list.by} limit ${limit + 1}`,
    options,
  );
  return list.page(rows, limit);
}
