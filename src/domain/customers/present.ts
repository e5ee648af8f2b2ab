import { presentAs } from '#src/lib/present-as.ts';
import { Email, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import type { Customer } from './customers.ts';

/** A customer as shown to themselves. */
export const CustomerView = Type.Object(
  {
    id: Id('cus'),
    email: Email,
    name: Nullable(Type.String({ examples: ['Ada Lovelace'] })),
  },
  { title: 'Customer' },
);

/** What is left of a customer whose personal data was erased. */
export const ErasedCustomerView = Type.Object(
  { id: Id('cus'), erased: Type.Literal(true, { examples: [true] }) },
  { title: 'ErasedCustomer' },
);

type NamedCustomer = Pick<Customer, 'id' | 'email' | 'name'>;

export function presentCustomer({ id, email, name }: NamedCustomer): Static<typeof CustomerView> {
  return { id, email, name };
}

/** A customer as the store's owner sees it. */
export const KnownCustomerView = Type.Object(
  {
    ...CustomerView.properties,
    /** Null if the customer never chose. */
    accepts_marketing: Nullable(Type.Boolean()),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
  },
  { title: 'KnownCustomer' },
);

export function presentKnownCustomer(customer: Customer): Static<typeof KnownCustomerView> {
  return presentAs(KnownCustomerView, customer);
}
