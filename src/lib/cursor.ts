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
  const columns = joinSql(order.columns.map(rawSql), ', ');
  const direction = rawSql(order.descending ? ' desc' : '');
  return {
    after: cursor === undefined ? sql`true` : comesAfter(columns, order, openCursor(owner, list, order, cursor)),
    by: joinSql(
      order.columns.map((column) => sql`${rawSql(column)}${direction}`),
      ', ',
    ),
    position: sql`jsonb_build_array(${columns})`,
    page(rows, limit, end) {
      const page = rows.slice(0, limit);
      const next = rows.length > limit ? page.at(-1)?.position : end;
      return { rows: page, cursor: next ? sealCursor(owner, list, next) : null };
    },
  };
}

function comesAfter(columns: Sql, order: ListOrder, position: Position): Sql {
  const values = joinSql(
    position.map((value) => sql`${value}`),
    ', ',
  );
  return order.descending ? sql`(${columns}) < (${values})` : sql`(${columns}) > (${values})`;
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
