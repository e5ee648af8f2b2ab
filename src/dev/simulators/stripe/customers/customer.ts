import { changedMetadata } from '../api/check-metadata.ts';
import type { Account } from '../state/account.ts';
import {
  type Address,
  type AddressParams,
  addressFrom,
  type Customer,
  type Metadata,
  type MetadataChange,
} from '../state/objects.ts';

export interface CustomerParams {
  readonly address?: AddressParams | null;
  /** What the customer owes; negative is credit. The next invoices of subscriptions settle it. */
  readonly balance?: number;
  readonly description?: string;
  readonly email?: string;
  readonly metadata?: MetadataChange | null;
  readonly name?: string;
  readonly phone?: string;
  readonly preferred_locales?: string[];
  readonly shipping?: {
    readonly name: string;
    readonly phone?: string;
    readonly address: AddressParams;
  } | null;
  readonly tax_exempt?: string;
}

/** Add a customer and record the event. */
export function createCustomer(account: Account, params: CustomerParams): Customer {
  const id = account.mint('cus', 14);
  const customer = account.customers.add({
    id,
    object: 'customer',
    address: null,
    balance: 0,
    created: account.now,
    currency: null,
    customer_account: null,
    default_source: null,
    delinquent: false,
    description: null,
    discount: null,
    email: null,
    invoice_prefix: account.mint('', 8).toUpperCase(),
    invoice_settings: {
      custom_fields: null,
      default_payment_method: null,
      footer: null,
      rendering_options: null,
    },
    livemode: account.livemode,
    metadata: {},
    name: null,
    next_invoice_sequence: 1,
    phone: null,
    preferred_locales: [],
    shipping: null,
    tax_exempt: 'none',
    test_clock: null,
    ...customerFields({}, params),
  });
  account.record('customer.created', customer);
  return customer;
}

/** Change the given fields and record the event. */
export function updateCustomer(account: Account, customer: Customer, params: CustomerParams): Customer {
  return account.change(customer, customerFields(customer.metadata, params), 'customer.updated');
}

function customerFields(metadata: Metadata, params: CustomerParams): Partial<Customer> {
  const { address, balance, description, email, name, phone, preferred_locales, shipping, tax_exempt } = params;
  const given = { balance, description, email, name, phone, preferred_locales, tax_exempt };
  return {
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
    ...(address !== undefined && { address: address && addressFrom(address) }),
    ...(shipping !== undefined && { shipping: shipping && shippingFrom(shipping) }),
    metadata: changedMetadata(metadata, params.metadata),
  };
}

function shippingFrom({ name, phone, address }: NonNullable<CustomerParams['shipping']>): {
  address: Address;
  name: string;
  phone: string | null;
} {
  return { address: addressFrom(address), name, phone: phone ?? null };
}
