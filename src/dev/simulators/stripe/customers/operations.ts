import { invalid, noSuch } from '../api/error.ts';
import { list, type Operation, operation, retrieve } from '../api/operation.ts';
import { endSubscription } from '../billing/subscription.ts';
import type { Account } from '../state/account.ts';
import type { Customer } from '../state/objects.ts';
import { type CustomerParams, createCustomer, updateCustomer } from './customer.ts';

export const customers: readonly Operation[] = [
  operation<CustomerParams>(
    'POST /v1/customers',
    ({ account, params }) => createCustomer(account, params),
    ({ params }) => checkEmail(params),
  ),
  operation<SearchParams>('GET /v1/customers/search', ({ account, params }) => searchCustomers(account, params)),
  retrieve('GET /v1/customers/{id}', (account) => account.customers),
  operation<CustomerParams>(
    'POST /v1/customers/{id}',
    ({ account, id, params }) => {
      const customer = account.customers.need(id);
      if (customer.deleted) throw noSuch('customer', id);
      return updateCustomer(account, customer, params);
    },
    ({ params }) => checkEmail(params),
  ),
  operation('DELETE /v1/customers/{id}', ({ account, id }) => {
    const customer = account.customers.need(id);
    if (customer.deleted) throw noSuch('customer', id);
    for (const subscription of account.subscriptions.all()) {
      const runs = subscription.customer === id && subscription.status !== 'canceled';
      if (runs) endSubscription(account, subscription);
    }
    account.record('customer.deleted', customer);
    return clearFields(customer);
  }),
  list<Customer>(
    'GET /v1/customers',
    (account) => account.customers,
    { email: (row, wanted) => row.email === wanted },
    ({ deleted }) => !deleted,
  ),
];

/** A deleted customer can still be retrieved, but has no fields left. */
function clearFields(customer: Customer): Customer {
  for (const field of Object.keys(customer)) {
    if (field !== 'id' && field !== 'object') delete customer[field];
  }
  return Object.assign(customer, { deleted: true });
}

function checkEmail({ email }: CustomerParams): void {
  if (email !== undefined && !/^[^\s@]+@[^\s@]+$/.test(email)) {
    throw invalid(`Invalid email address: ${email}`, 'email', 'email_invalid');
  }
}

export interface SearchParams {
  readonly query: string;
  readonly limit?: number;
  readonly page?: string;
}

type Clause = (customer: Customer) => boolean;

/**
 * Stripe's search, for clauses joined by AND: `email:"…"` (equal), `email~"…"` (contains),
 * `name`, `phone` and `metadata["key"]` likewise, without regard to case. It lags behind, as the
 * real one does: a customer is found only some time after it was created or changed.
 */
function searchCustomers(account: Account, { query, limit = 10, page = '0' }: SearchParams): object {
  const clauses = query.split(/\s+AND\s+/i).map(clauseOf);
  const found = account.customers
    .all()
    .filter((customer) => !customer.deleted && (account.searchableFrom.get(customer) ?? 0) <= account.now)
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
