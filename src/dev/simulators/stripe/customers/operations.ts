import { invalid, noSuch } from '../api/error.ts';
import { list, type Operation, operation, retrieve } from '../api/operation.ts';
import { endSubscription } from '../billing/subscription.ts';
import type { Customer } from '../state/objects.ts';
import { type CustomerParams, createCustomer, updateCustomer } from './customer.ts';

export const customers: readonly Operation[] = [
  operation<CustomerParams>(
    'POST /v1/customers',
    ({ account, params }) => createCustomer(account, params),
    ({ params }) => checkEmail(params),
  ),
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
