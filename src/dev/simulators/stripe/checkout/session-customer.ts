import type { Account } from '../account.ts';
import { type Customer, createCustomer, updateCustomer } from '../objects/customer.ts';
import type { Cart, Session } from '../objects/session.ts';
import type { Details } from './shopper-details.ts';

/**
 * Whose purchase this is: the customer that the shop named, a new one, or, for a guest, nobody.
 * What was typed is saved with the shop's own customer only where `customer_update` says so.
 */
export function sessionCustomer(account: Account, session: Session, cart: Cart, details: Details): Customer | null {
  const { billing, shipping } = details;
  const { customer_update: update, customer: id } = cart.params;
  if (id !== undefined) {
    const customer = account.customers.need(id);
    const changes = {
      ...(update?.shipping === 'auto' && shipping && { shipping: addressed(shipping) }),
      ...(update?.name === 'auto' && billing.name && { name: billing.name }),
      ...(update?.address === 'auto' && billing.address && { address: given(billing.address) }),
    };
    return Object.keys(changes).length > 0 ? updateCustomer(account, customer, changes) : customer;
  }
  if (session.mode === 'payment' && cart.params.customer_creation !== 'always') return null;
  return createCustomer(account, {
    ...(details.customer.email && { email: details.customer.email }),
    ...(billing.name && { name: billing.name }),
    ...(billing.phone && { phone: billing.phone }),
    ...(billing.address && { address: given(billing.address) }),
    ...(shipping && { shipping: addressed(shipping) }),
  });
}

function addressed({ name, address }: NonNullable<Details['shipping']>): {
  name: string;
  address: Record<string, string>;
} {
  return { name, address: given(address) };
}

function given(address: object): Record<string, string> {
  return Object.fromEntries(Object.entries(address).filter(([, value]) => typeof value === 'string'));
}
