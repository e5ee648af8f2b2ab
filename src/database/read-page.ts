import {
  type IndexRange,
  keyset,
  type ListOrder,
  type ListOwner,
  type Page,
  type PageRequest,
  type Position,
} from '#src/lib/cursor.ts';
import { allOf, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import type { TenantContext } from './context.ts';
import { type ReadOptions, read } from './transact.ts';

type NamedList = ListOrder & { readonly name: string };

/**
 * Read one page of a list with one statement; see `keyset`.
 * @param list with `of`, `from` and `to`, what of the list is read from an index that has exactly that
 * @param select the rows of the whole list, as a query that ends with its conditions. Its `position` is a further column,
 *   preceded by a comma
 * @throws DomainError `invalid_cursor`
 */
export async function readPage<Row>(
  ctx: TenantContext & ListOwner,
  { name, of, from, to, ...order }: NamedList & Omit<IndexRange, 'columns'>,
  { cursor, limit = 20 }: PageRequest,
  select: (position: Sql) => Sql,
  options?: ReadOptions,
): Promise<Page<Row>> {
  const list = keyset(ctx, name, order, cursor);
  const { after, by } = list.among({ of, from, to });
  const rows = await read<Row & { readonly position: Position }>(
    ctx,
    sql`${select(sql`, ${list.position} as position`)} and ${after} order by ${by} limit ${limit + 1}`,
    options,
  );
  return list.page(rows, limit);
}

/** How many rows of an index are examined for one page. */
const examinedMax = 1000;

/** An index in which the rows of a page are looked for. */
export interface SearchedIndex extends IndexRange {
  /** The condition on its rows, beside the range. */
  readonly where?: Sql;
  /** The parts of the filter that all of its rows match. */
  readonly has: readonly string[];
  /** What is read instead of the table, with its alias. */
  readonly table?: Sql;
}

/** A list of the rows that match a filter. */
export interface FilteredList extends NamedList {
  /** With its alias. */
  readonly table: Sql;
  readonly alias: Sql;
  /** Those that are undefined count as absent. */
  readonly filter: object;
  /** Each has all rows that match. */
  readonly indexes: readonly SearchedIndex[];
  /** By default, that each index would have the row. */
  readonly isWanted?: Sql;
}

/**
 * Read one page of the rows that match a filter. What no index has as a whole is looked for in each of `indexes`, from
 * where the search in the one before ended: one with few rows completes the page. Otherwise it may be shorter than its
 * limit, or empty, and still have a cursor.
 * @param select the query for what is shown, from a table or another query. Further columns, each preceded by a comma,
 *   and conditions follow
 * @throws DomainError `invalid_cursor`
 */
export async function searchPage<Row>(
  ctx: TenantContext & ListOwner,
  { name, table, alias, filter, indexes, isWanted = isOfAll(indexes), ...order }: FilteredList,
  { cursor, limit = 20 }: PageRequest,
  select: (more: Sql, from: Sql) => Sql,
  options?: ReadOptions,
): Promise<Page<Row>> {
  const [index = { has: [] }, ...others] = indexes;
  const parts = Object.entries(filter).filter(([, value]) => value !== undefined);
  if (others.length === 0 && parts.every(([part]) => index.has.includes(part))) {
    const { has, where = sql`true`, table: from = table, ...range } = index;
    const list = { ...order, ...range, name };
    return readPage(ctx, list, { cursor, limit }, (position) => sql`${select(position, from)} and ${where}`, options);
  }
  let list = keyset(ctx, name, order, cursor);
  const wanted: (Row & Examined)[] = [];
  let end: Position | undefined;
  for (const { where = sql`true`, table: from = table, ...range } of [index, ...others]) {
    const { after, by } = list.among(range);
    const examined = sql`(
      select ${alias}.*, row_number() over (order by ${by}) as place
      from ${from} where ${alias}.tenant_id = ${ctx.tenant.id} and ${where} and ${after}
      order by ${by} limit ${examinedMax}) as ${alias}`;
    const more = sql`, ${list.position} as position, place::int, ${isWanted} as "isWanted"`;
    const found = await read<Row & Examined>(
      ctx,
      sql`${select(more, examined)} and (place = ${examinedMax} or ${isWanted})
        order by place limit ${limit + 1 - wanted.length}`,
      options,
    );
    wanted.push(...found.filter((row) => row.isWanted));
    const last = found.at(-1);
    end = last?.place === examinedMax ? last.position : undefined;
    if (wanted.length > limit || end === undefined) break;
    list = list.from(end);
  }
  return list.page(wanted, limit, end);
}

interface Examined {
  readonly position: Position;
  readonly place: number;
  readonly isWanted: boolean;
}

const isOfAll = (indexes: readonly SearchedIndex[]): Sql =>
  allOf(...indexes.flatMap(({ of = [] }) => [of].flat()).map(({ column, value }) => sql`${rawSql(column)} = ${value}`));

/** The index of each part of the filter that begins with its column, in the order of the columns. */
export function indexesOf(filter: object, columns: Readonly<Record<string, string>>): SearchedIndex[] {
  const values = new Map<string, unknown>(Object.entries(filter));
  return Object.entries(columns).flatMap(([part, column]) => {
    const value = values.get(part);
    return typeof value === 'string' ? { of: { column, value }, has: [part] } : [];
  });
}
