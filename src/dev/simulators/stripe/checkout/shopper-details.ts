import type { Account } from '../account.ts';
import type { Cart, CustomerDetails, Session } from '../objects/session.ts';
import { type Address, type AddressParams, addressFrom, type ShippingDetails } from '../objects/stripe-object.ts';
import { invalid } from '../wire/refusal.ts';

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

/** The e-mail that the shopper cannot change, because the shop has given it. */
export function fixedEmail(account: Account, session: Session): string | null {
  const customer = session.customer === null ? undefined : account.customers.get(session.customer);
  return customer?.email ?? session.customer_email;
}

/** Check what the shopper typed, and say it as Stripe's objects do. */
export function shopperDetails(account: Account, session: Session, cart: Cart, input: ShopperInput): Details {
  const email = fixedEmail(account, session) ?? input.email?.trim();
  if (!email || !/^[^\s@]+@[^\s@]+$/.test(email)) throw invalid('Enter your e-mail address.', 'email');
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
    throw invalid('The shop does not ship to this country.', 'address[country]');
  }
  return { name, address };
}
