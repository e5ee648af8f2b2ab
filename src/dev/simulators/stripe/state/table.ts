import { invalid, noSuch } from '../api/error.ts';

/** The page of a list request. */
export interface PageParams {
  readonly limit?: number;
  readonly starting_after?: string;
  readonly ending_before?: string;
}

export interface Page<Row> {
  readonly data: Row[];
  readonly has_more: boolean;
}

/** One kind of object in one account, in the order of creation. */
export class Table<Row extends { readonly id: string }> {
  readonly kind: string;
  readonly #rows: (Row | undefined)[] = [];
  readonly #positions = new Map<string, number>();

  constructor(kind: string) {
    this.kind = kind;
  }

  add(row: Row): Row {
    this.#positions.set(row.id, this.#rows.push(row) - 1);
    return row;
  }

  get(id: string): Row | undefined {
    return this.#rows[this.#positions.get(id) ?? -1];
  }

  /** The row, or Stripe's "No such …": 404 for the id in a path, 400 for the one in `param`. */
  need(id: string, param = 'id'): Row {
    const row = this.get(id);
    if (!row) throw noSuch(this.kind, id, param);
    return row;
  }

  remove(id: string): void {
    const position = this.#positions.get(id);
    if (position !== undefined) this.#rows[position] = undefined;
    this.#positions.delete(id);
  }

  all(): Row[] {
    return this.#rows.filter((row) => row !== undefined);
  }

  /** Newest first, as every list of Stripe's is. */
  page(params: PageParams, isWanted: (row: Row) => boolean = () => true): Page<Row> {
    const limit = pageLimit(params);
    const { starting_after: after, ending_before: before } = params;
    if (after && before)
      throw invalid('You may only specify one of ending_before and starting_after.', 'starting_after');
    const found: Row[] = [];
    if (before) {
      for (let at = this.#place(before, 'ending_before') + 1; at < this.#rows.length && found.length <= limit; at++) {
        this.#collect(found, at, isWanted);
      }
      return { data: found.slice(0, limit).reverse(), has_more: found.length > limit };
    }
    const start = after ? this.#place(after, 'starting_after') : this.#rows.length;
    for (let at = start - 1; at >= 0 && found.length <= limit; at--) this.#collect(found, at, isWanted);
    return { data: found.slice(0, limit), has_more: found.length > limit };
  }

  #collect(found: Row[], position: number, isWanted: (row: Row) => boolean): void {
    const row = this.#rows[position];
    if (row && isWanted(row)) found.push(row);
  }

  #place(id: string, param: string): number {
    const position = this.#positions.get(id);
    if (position === undefined) throw noSuch(this.kind, id, param);
    return position;
  }
}

/** One page of a list that has an order of its own, such as the lines of a cart. */
export function pageOf<Row extends { readonly id: string }>(rows: readonly Row[], params: PageParams): Page<Row> {
  const limit = pageLimit(params);
  const cursor = params.starting_after ?? params.ending_before;
  const at = cursor === undefined ? -1 : rows.findIndex((row) => row.id === cursor);
  if (cursor !== undefined && at < 0)
    throw noSuch('item', cursor, params.starting_after ? 'starting_after' : 'ending_before');
  if (params.ending_before) {
    const from = Math.max(0, at - limit);
    return { data: rows.slice(from, at), has_more: from > 0 };
  }
  return { data: rows.slice(at + 1, at + 1 + limit), has_more: at + 1 + limit < rows.length };
}

function pageLimit({ limit = 10 }: PageParams): number {
  if (limit < 1) throw invalid('This value must be greater than or equal to 1.', 'limit', 'parameter_invalid_integer');
  if (limit > 100) throw invalid('This value must be less than or equal to 100.', 'limit', 'parameter_invalid_integer');
  return limit;
}
