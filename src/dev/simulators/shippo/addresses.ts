import { created, type Endpoint, newestFirst, ok, pageOf } from './endpoint.ts';
import { badRequest, notFound } from './error.ts';
import type { Address } from './objects.ts';
import { isZip } from './quote.ts';
import { AddressRequest, read } from './requests.ts';
import { type Account, type SimulatorState, stored } from './state.ts';

const countriesWithStates = ['US', 'CA', 'AU'];
const neededFields = ['name', 'street1', 'city', 'state', 'zip', 'country'] as const;

/** The fields that an address needs before a label can be purchased. */
export function missingFields(address: Address): string[] {
  return neededFields.filter(
    (field) => !address[field].trim() && (field !== 'state' || countriesWithStates.includes(address.country)),
  );
}

/** Create an address. `field` is its place in the request, for error messages. */
function createAddress(simulator: SimulatorState, account: Account, value: unknown, field?: string): Address {
  const { validate, ...request } = read(AddressRequest, value, field);
  const address: Address = {
    ...stored(simulator, account),
    name: '',
    company: '',
    street1: '',
    street2: '',
    street3: '',
    street_no: '',
    city: '',
    state: '',
    zip: '',
    phone: '',
    email: '',
    is_residential: null,
    metadata: '',
    ...request,
    country: request.country.toUpperCase(),
    is_complete: false,
    validation_results: {},
  };
  address.is_complete = missingFields(address).length === 0;
  if (validate) address.validation_results = validationOf(address);
  account.addresses.set(address.object_id, address);
  return address;
}

/** An address of a shipment: given in full, or the id of an existing one. */
export function addressOf(simulator: SimulatorState, account: Account, value: unknown, field: string): Address {
  if (typeof value !== 'string') return createAddress(simulator, account, value, field);
  const address = account.addresses.get(value);
  if (!address) throw badRequest({ [field]: ['Address with supplied object_id not found.'] });
  return address;
}

/** The result of the address validator. It does not find a street named "invalid". */
function validationOf(address: Address): Address['validation_results'] {
  const invalid = (type: string, code: string, text: string) => ({
    is_valid: false,
    messages: [{ source: 'Shippo Address Validator', type, code, text }],
  });
  if (!address.street1.trim()) {
    return invalid('address_error', 'street_detail_missing', 'The address has no street.');
  }
  if (address.country === 'US' && !isZip(address.zip)) {
    return invalid('address_error', 'invalid_postal_code', 'The postal code is invalid.');
  }
  if (/invalid/i.test(address.street1)) {
    return invalid('address_error', 'Address Not Found', 'The address could not be found.');
  }
  return { is_valid: true, messages: [] };
}

export const addressEndpoints: Endpoint[] = [
  {
    method: 'post',
    path: '/addresses',
    handle: ({ simulator, account, body }) => created(createAddress(simulator, account, body)),
  },
  {
    method: 'get',
    path: '/addresses',
    handle: ({ account, url }) => ok(pageOf(newestFirst(account.addresses), url, 5)),
  },
  {
    method: 'get',
    path: '/addresses/:id',
    handle({ account, params }) {
      const found = account.addresses.get(params.id ?? '');
      if (!found) throw notFound();
      return ok(found);
    },
  },
  {
    method: 'get',
    path: '/addresses/:id/validate',
    handle({ account, params }) {
      const found = account.addresses.get(params.id ?? '');
      if (!found) throw notFound();
      found.validation_results = validationOf(found);
      return ok(found);
    },
  },
];
