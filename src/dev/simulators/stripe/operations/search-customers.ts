import type { Account } from '../account.ts';
import { type Customer, searchableFrom } from '../objects/customer.ts';
import { invalid } from '../wire/refusal.ts';

export interface SearchParams {
  readonly query: string;
  readonly limit?: number;
  readonly page?: string;
}

type Clause = (customer: Customer) => boolean;

/**
 * Stripe's search, for clauses joined by AND: `email:"…"` (equal), `email~"…"` (contains),
 * `name`, `phone` and `metadata["key"]` likewise, without regard to case. It lags behind, as the
 * real one does: a customer is found only some time after it was made or changed.
 */
export function searchCustomers(account: Account, { query, limit = 10, page = '0' }: SearchParams): object {
  const clauses = query.split(/\s+AND\s+/i).map(clauseOf);
  const found = account.customers
    .all()
    .filter((customer) => !customer.deleted && (searchableFrom.get(customer) ?? 0) <= account.now)
    .filter((customer) => clauses.every((matches) => matches(customer)))
    .reverse();
  const start = Number(page) || 0;
  const hasMore = start + limit < found.length;
  return {
    object: 'search_result',
    data: found.slice(start, start + limit),
    has_more: hasMore,
    next_page: hasMore ? String(start + limit) : null,
    url: '/v1/customers/search',
  };
}

function clauseOf(text: string): Clause {
  const parts = /^(email|name|phone|metadata\[["'](.+)["']\])([:~])["'](.*)["']$/.exec(text.trim());
  if (!parts) throw invalid(`We were unable to parse your search query: ${text}`, 'query');
  const [, field = '', key, operator, value = ''] = parts;
  const wanted = value.toLowerCase();
  return (customer) => {
    const actual = String((key === undefined ? customer[field] : customer.metadata[key]) ?? '').toLowerCase();
    return operator === ':' ? actual === wanted : actual.includes(wanted);
  };
}
