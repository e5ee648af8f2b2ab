import { badRequest, notFound, ShippoError } from './error.ts';
import type { Fault } from './faults.ts';
import type { Account, SimulatorState } from './state.ts';

/** One authenticated request. */
export interface Call {
  simulator: SimulatorState;
  account: Account;
  params: Record<string, string>;
  /** The URL of the request, for its query and for links to other pages. */
  url: URL;
  body: unknown;
  fault: Fault | undefined;
}

export interface EndpointResponse {
  status: number;
  body: unknown;
}

export interface Endpoint {
  method: 'get' | 'post';
  path: string;
  handle(call: Call): EndpointResponse;
}

export const ok = (body: unknown): EndpointResponse => ({ status: 200, body });
export const created = (body: unknown): EndpointResponse => ({ status: 201, body });

/** An object of the account by its id. */
export function retrieve(path: string, kind: 'shipments' | 'rates' | 'transactions'): Endpoint {
  return {
    method: 'get',
    path,
    handle({ account, params }) {
      const found = account[kind].get(params.id ?? '');
      if (!found) throw notFound();
      return ok(found);
    },
  };
}

/** Newest first, as in every list of Shippo's. */
export function newestFirst<T>(objects: Map<string, T>): T[] {
  return [...objects.values()].reverse();
}

export interface Page<T> {
  next: string | null;
  previous: string | null;
  results: T[];
}

/** One page of a list, by the query parameters `page` and `results`. */
export function pageOf<T>(items: T[], url: URL, resultsDefault = 25): Page<T> {
  const page = wholeNumber(url, 'page', 1, Number.MAX_SAFE_INTEGER);
  const results = wholeNumber(url, 'results', resultsDefault, 100);
  const start = (page - 1) * results;
  if (page > 1 && start >= items.length) throw new ShippoError(404, { detail: 'Invalid page.' });
  return {
    next: start + results < items.length ? withPage(url, page + 1) : null,
    previous: page > 1 ? withPage(url, page - 1) : null,
    results: items.slice(start, start + results),
  };
}

function wholeNumber(url: URL, name: string, fallback: number, max: number): number {
  const value = Number(url.searchParams.get(name) ?? fallback);
  if (Number.isInteger(value) && value >= 1 && value <= max) return value;
  throw badRequest({ [name]: [`Ensure this value is a whole number from 1 to ${max}.`] });
}

function withPage(url: URL, page: number): string {
  const other = new URL(url);
  other.searchParams.set('page', String(page));
  return other.href;
}
