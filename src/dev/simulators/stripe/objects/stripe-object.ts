/**
 * Anything that Stripe answers with. The interfaces beside this one name the fields that the
 * simulator itself reads or changes; the rest of an object is what the wire format asks for.
 */
export interface StripeObject {
  readonly id: string;
  readonly object: string;
  [field: string]: unknown;
}

export interface Address {
  readonly city: string | null;
  readonly country: string | null;
  readonly line1: string | null;
  readonly line2: string | null;
  readonly postal_code: string | null;
  readonly state: string | null;
}

export interface AddressParams {
  readonly city?: string;
  readonly country?: string;
  readonly line1?: string;
  readonly line2?: string;
  readonly postal_code?: string;
  readonly state?: string;
}

/** Name and address of whoever gets the parcel. */
export interface ShippingDetails {
  readonly name: string;
  readonly address: Address;
  readonly phone?: string | null;
}

/** An address as Stripe shows it: every field, null where nothing is known. */
export function addressFrom(params: AddressParams): Address {
  const { city, country, line1, line2, postal_code, state } = params;
  return {
    city: city || null,
    country: country || null,
    line1: line1 || null,
    line2: line2 || null,
    postal_code: postal_code || null,
    state: state || null,
  };
}

export interface ListObject<Row> {
  readonly object: 'list';
  readonly data: readonly Row[];
  readonly has_more: boolean;
  readonly url: string;
}

/** The envelope of every list. */
export function listObject<Row>(url: string, page: { data: readonly Row[]; has_more: boolean }): ListObject<Row> {
  return { object: 'list', data: page.data, has_more: page.has_more, url };
}
