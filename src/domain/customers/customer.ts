import { Email, Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';

/** Somebody who bought, or whom the owner knows, by address. */
export interface Customer {
  readonly id: string;
  /** Trimmed, lower case: unique in the store. */
  readonly email: string;
  readonly name: string | null;
  /** Null where nobody asked. */
  readonly acceptsMarketing: boolean | null;
  /** What the payment provider calls them in this environment, once it knows them. */
  readonly paymentCustomerId: string | null;
  readonly version: number;
  readonly createdAt: Date;
}

/** An address as it is stored and compared: trimmed and lower case, so that one person is one customer. */
export function normaliseEmail(text: string): string {
  return text.trim().toLowerCase();
}

/** A customer as sessions, the portal and the owner's side show it: api.md, "customer". */
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
    /** Null where nobody asked. */
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
