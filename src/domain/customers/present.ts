import { Email, Id, Nullable, type Static, Type } from '#src/lib/schema.ts';
import type { Customer } from './customer.ts';

/** A customer as sessions, the portal and the owner's side show it: api.md, "customer". */
export const CustomerView = Type.Object({
  id: Id('cus'),
  email: Email,
  name: Nullable(Type.String({ examples: ['Ada Lovelace'] })),
}, { title: 'Customer' });

type Named = Pick<Customer, 'id' | 'email' | 'name'>;

export function presentCustomer({ id, email, name }: Named): Static<typeof CustomerView> {
  return { id, email, name };
}
