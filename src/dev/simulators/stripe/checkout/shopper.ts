import { invalid } from '../api/error.ts';
import { createCustomer, updateCustomer } from '../customers/customer.ts';
import type { Account, Cart } from '../state/account.ts';
import {
  type Address,
  type AddressParams,
  addressFrom,
  type Customer,
  type CustomerDetails,
  type Session,
  type ShippingDetails,
} from '../state/objects.ts';

/** What the shopper types into the hosted page. */
export interface ShopperInput {
  readonly email?: string;
  readonly name?: string;
  readonly phone?: string;
  readonly address?: AddressParams;
}

export interface Details {
  readonly customer: CustomerDetails;
  readonly shipping: ShippingDetails | null;
  readonly billing: {
    readonly email: string;
    readonly name: string | null;
    readonly phone: string | null;
    readonly address: Address | null;
  };
}

/** The email that the store has given, which the shopper cannot change. */
export function fixedEmail(account: Account, session: Session): string | null {
  const customer = session.customer === null ? undefined : account.customers.get(session.customer);
  return customer?.email ?? session.customer_email;
}

/** Validate what the shopper typed, and convert it to Stripe's fields. */
export function shopperDetails(account: Account, session: Session, cart: Cart, input: ShopperInput): Details {
  const email = fixedEmail(account, session) ?? input.email?.trim();
  if (!email || !/^[^\s@]+@[^\s@]+$/.test(email)) throw invalid('Enter your email address.', 'email');
  const address = input.address ? addressFrom(input.address) : null;
  const name = input.name?.trim() || null;
  const phone = input.phone?.trim() || null;
  if (cart.params.phone_number_collection?.enabled && !phone) throw invalid('Enter your phone number.', 'phone');
  const shipping = shippingDetails(cart, name, address);
  return {
    customer: {
      address,
      business_name: null,
      email,
      individual_name: null,
      name,
      phone,
      tax_exempt: 'none',
      tax_ids: [],
    },
    shipping,
    billing: { email, name, phone, address },
  };
}

function shippingDetails({ params }: Cart, name: string | null, address: Address | null): ShippingDetails | null {
  const countries = params.shipping_address_collection?.allowed_countries;
  if (!countries) return null;
  if (!name) throw invalid('Enter your name.', 'name');
  if (!address?.line1 || !address.city || !address.postal_code)
    throw invalid('Enter the address to ship to.', 'address');
  if (!address.country || !countries.includes(address.country)) {
    throw invalid('The store does not ship to this country.', 'address[country]');
  }
  return { name, address };
}

/**
 * The customer of a purchase: the one that the store named, a new one, or null for a guest.
 * What was typed is saved with the store's customer only where `customer_update` says so.
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
