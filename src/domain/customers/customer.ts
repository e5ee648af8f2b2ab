import { Email, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';

/** A customer of a store, identified by email address. */
export interface Customer {
  readonly id: string;
  /** Trimmed, lower case: unique in the store. */
  readonly email: string;
  readonly name: string | null;
  /** Null when never asked. */
  readonly acceptsMarketing: boolean | null;
  /** The customer's id at the payment provider in this environment, once there is one. */
  readonly paymentCustomerId: string | null;
  readonly version: number;
  readonly createdAt: Date;
}

/** An email address as it is stored and compared: trimmed and in lower case. */
export function normaliseEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** A customer as shown to themselves. */
export const CustomerView = Type.Object(
  {
    id: Id('cus'),
    email: Email,
    name: Nullable(Type.String({ examples: ['Ada Lovelace'] })),
  },
  { title: 'Customer' },
);

type NamedCustomer = Pick<Customer, 'id' | 'email' | 'name'>;

export function presentCustomer({ id, email, name }: NamedCustomer): Static<typeof CustomerView> {
  return { id, email, name };
}

/** A customer as the store's owner sees it. */
export const KnownCustomerView = Type.Object(
  {
    ...CustomerView.properties,
    /** Null when never asked. */
    accepts_marketing: Nullable(Type.Boolean()),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
  },
  { title: 'KnownCustomer' },
);

export function presentKnownCustomer(customer: Customer): Static<typeof KnownCustomerView> {
  const { acceptsMarketing, version, createdAt } = customer;
  return {
    ...presentCustomer(customer),
    accepts_marketing: acceptsMarketing,
    version,
    created_at: createdAt.toISOString(),
  };
}
