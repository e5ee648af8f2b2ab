import { endSubscription } from '../billing/end-subscription.ts';
import { type Customer, type CustomerParams, createCustomer, updateCustomer } from '../objects/customer.ts';
import { list, type Operation, operation, retrieve } from '../wire/operation.ts';
import { invalid, noSuch } from '../wire/refusal.ts';
import { type SearchParams, searchCustomers } from './search-customers.ts';

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
    return forget(customer);
  }),
  list<Customer>(
    'GET /v1/customers',
    (account) => account.customers,
    { email: (row, wanted) => row.email === wanted },
    ({ deleted }) => !deleted,
  ),
];

/** A deleted customer can still be retrieved, but says nothing more than that. */
function forget(customer: Customer): Customer {
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
