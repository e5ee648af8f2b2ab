import type { Account } from '../state/account.ts';
import { listObject, type StripeObject } from '../state/objects.ts';
import type { PageParams, Table } from '../state/table.ts';
import { invalid } from './error.ts';

/** One request, authenticated and with its parameters checked against the published schema. */
export interface Call<Params = object> {
  readonly account: Account;
  /** The id in the path, or ''. */
  readonly id: string;
  readonly params: Params;
}

/** One operation of the API. Both parts are synchronous, so that no two requests interleave. */
export interface Operation {
  readonly route: string;
  /** Rules that no schema states. What they reject is not stored under an idempotency key. */
  check?(call: Call): void;
  run(call: Call): object;
}

export function operation<Params>(
  route: string,
  run: (call: Call<Params>) => object,
  check?: (call: Call<Params>) => void,
): Operation {
  // The schema of the route stands behind Params: the one place where the two are joined.
  const typed = (call: Call): Call<Params> => call as Call<Params>;
  return { route, run: (call) => run(typed(call)), ...(check && { check: (call) => check(typed(call)) }) };
}

type TableOf<Row extends StripeObject> = (account: Account) => Table<Row>;

export function retrieve<Row extends StripeObject>(route: string, table: TableOf<Row>): Operation {
  return operation(route, ({ account, id }) => table(account).need(id));
}

/** How a list's own parameter filters; without an entry the field of that name must be equal. */
export type Filters<Row> = Readonly<Record<string, (row: Row, wanted: unknown, account: Account) => boolean>>;

const paging = new Set(['limit', 'starting_after', 'ending_before', 'expand']);

/** A list, newest first. `isListed` leaves rows out before any filter. */
export function list<Row extends StripeObject>(
  route: string,
  table: TableOf<Row>,
  filters: Filters<Row> = {},
  isListed: (row: Row, params: object, account: Account) => boolean = () => true,
): Operation {
  const url = route.slice('GET '.length);
  return operation<PageParams>(route, ({ account, params }) => {
    const wanted = Object.entries(params).filter(([name]) => !paging.has(name));
    const page = table(account).page(
      params,
      (row) =>
        isListed(row, params, account) &&
        wanted.every(([name, value]) => matchesFilter(filters, name, row, value, account)),
    );
    return listObject(url, page);
  });
}

function matchesFilter<Row extends StripeObject>(
  filters: Filters<Row>,
  name: string,
  row: Row,
  wanted: unknown,
  account: Account,
): boolean {
  const filter = filters[name];
  if (filter) return filter(row, wanted, account);
  if (name === 'created') return within(row['created'], wanted);
  if (typeof wanted === 'object') throw invalid(`The simulator does not filter by ${name}.`, name);
  return row[name] === wanted;
}

function within(value: unknown, range: unknown): boolean {
  if (typeof value !== 'number' || typeof range !== 'object' || range === null) return value === range;
  const bounds = new Map<string, number>(Object.entries(range));
  return (
    value > (bounds.get('gt') ?? Number.NEGATIVE_INFINITY) &&
    value >= (bounds.get('gte') ?? Number.NEGATIVE_INFINITY) &&
    value < (bounds.get('lt') ?? Number.POSITIVE_INFINITY) &&
    value <= (bounds.get('lte') ?? Number.POSITIVE_INFINITY)
  );
}
