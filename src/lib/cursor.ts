import { equalInConstantTime, hmacSha256 } from './crypto.ts';
import { DomainError } from './errors.ts';
import { joinSql, rawSql, type Sql, sql } from './sql.ts';

/** Whose list it is: what of a context its cursors are bound to. */
export interface ListOwner {
  readonly tenant: { readonly id: string };
  readonly settings: { readonly keyPepper: Buffer };
}

/** The columns that a list is sorted by, the last of them unique, all in one direction. Names of our own code only. */
export interface ListOrder {
  readonly columns: readonly string[];
  readonly descending?: boolean;
}

/** What all rows of a list have in a column with which an index begins, before the columns of the list's order. */
export interface SharedValue {
  readonly column: string;
  readonly value: string;
}

/** The rows of an index that a list is read from. */
export interface IndexRange {
  readonly of?: SharedValue | readonly SharedValue[] | undefined;
  /** Of the first column of the order: from this value on, and before another. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The columns of the order as this index has them. */
  readonly columns?: readonly string[];
}

/** The position of a row in its list: its values in the columns of the order. */
export type Position = readonly unknown[];

/** The parts of a statement that reads one page of a list. */
export interface Keyset {
  /** The condition that a row comes after the cursor; true without one. */
  readonly after: Sql;
  /** What to order by. */
  readonly by: Sql;
  /** The row's position, to be selected as `position`. */
  readonly position: Sql;
  /** The same list from after this position on. */
  from(position: Position): Keyset;
  /**
   * The same pages, read from an index that begins with other columns: only the rows with these values in them. They
   * are a range and begin the order: with a plain condition, PostgreSQL expects to find such rows soon among all of the
   * store's, and reads them all where there are none.
   */
  among(index: IndexRange): Pick<Keyset, 'after' | 'by'>;
  /**
   * The page out of the `limit + 1` rows that were read, and the cursor to the next page: null if there is none.
   *
   * @param end how far the list was read, if its end was not reached and fewer rows were found
   */
  page<Row extends { readonly position: Position }>(rows: readonly Row[], limit: number, end?: Position): Page<Row>;
}

/** The requested page of a list: the first one without a cursor. */
export interface PageRequest {
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly cursor: string | null;
}

/**
 * A list that is read page by page. Its pages hang on the position of their last row, so that a row which is added or
 * removed meanwhile neither repeats nor hides another.
 *
 * @param list names the list with everything that its order depends on, such as its sort: a cursor of one list means
 *   nothing in another.
 * @throws DomainError `invalid_cursor` when the cursor was changed, or belongs to another list or store
 */
export function keyset(owner: ListOwner, list: string, order: ListOrder, cursor?: string): Keyset {
  const open = (position: Position | undefined): Keyset => ({
    ...rangeOf({}, order, position),
    position: sql`jsonb_build_array(${joinSql(order.columns.map(rawSql), ', ')})`,
    from: open,
    among: (index) => rangeOf(index, order, position),
    page(rows, limit, end) {
      const page = rows.slice(0, limit);
      const next = rows.length > limit ? page.at(-1)?.position : end;
      return { rows: page, cursor: next ? sealCursor(owner, list, next) : null };
    },
  });
  return open(cursor === undefined ? undefined : openCursor(owner, list, order, cursor));
}

/** Each end of the range is compared as a row, so that an index is read from the one to the other. */
function rangeOf(
  { of = [], from, to, columns: named }: IndexRange,
  { columns, descending = false }: ListOrder,
  position: Position | undefined,
): Pick<Keyset, 'after' | 'by'> {
  const begins = [of].flat();
  const shared = begins.map(({ value }) => value);
  const names = [...begins.map(({ column }) => column), ...(named ?? columns)].map(rawSql);
  const [first = rawSql('')] = names.slice(begins.length);
  const compare = (operator: string, values: readonly unknown[]) =>
    values.length > 0 &&
    sql`(${joinSql(names.slice(0, values.length), ', ')}) ${rawSql(operator)} (${joinSql(
      values.map((value) => sql`${value}`),
      ', ',
    )})`;
  const least = from === undefined ? compare('>=', shared) : compare('>=', [...shared, from]);
  const most = to === undefined ? compare('<=', shared) : compare('<', [...shared, to]);
  const conditions = [
    // A cursor is the end of the range that it is on: with a second one, all rows before it would be read again. The
    // `case` leaves out what is not between the ends, if they were others for the page before.
    ...(position === undefined
      ? [least, most]
      : [
          descending ? least : most,
          compare(descending ? '<' : '>', [...shared, ...position]),
          from !== undefined && sql`case when ${first} >= ${from} then true end`,
          to !== undefined && sql`case when ${first} < ${to} then true end`,
        ]),
  ].filter((condition) => condition !== false);
  return {
    after: conditions.length > 0 ? joinSql(conditions, ' and ') : sql`true`,
    by: joinSql(
      names.map((name) => sql`${name}${rawSql(descending ? ' desc' : '')}`),
      ', ',
    ),
  };
}

const macBytes = 16;

/** A cursor is a position with proof that we wrote it for this list of this store. */
function sealCursor(owner: ListOwner, list: string, position: Position): string {
  const text = Buffer.from(JSON.stringify(position));
  return Buffer.concat([prove(owner, list, text), text]).toString('base64url');
}

function openCursor(owner: ListOwner, list: string, order: ListOrder, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url');
  const text = bytes.subarray(macBytes);
  // Several texts decode to the same bytes; only the canonical one is accepted.
  const isWhole = bytes.length > macBytes && bytes.toString('base64url') === cursor;
  if (!isWhole || !equalInConstantTime(bytes.subarray(0, macBytes), prove(owner, list, text))) throw invalidCursor();

  const position: unknown = JSON.parse(text.toString());
  // A release may sort a list in another way than the one that wrote the cursor.
  if (!Array.isArray(position) || position.length !== order.columns.length) throw invalidCursor();
  return position;
}

function prove({ tenant, settings }: ListOwner, list: string, text: Buffer): Buffer {
  const subject = Buffer.from(JSON.stringify(['cursor', tenant.id, list]));
  return hmacSha256(settings.keyPepper, Buffer.concat([subject, text])).subarray(0, macBytes);
}

const invalidCursor = () => new DomainError('invalid', 'invalid_cursor', 'This cursor does not belong to this list.');
