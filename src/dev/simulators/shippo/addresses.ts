import { isZip } from './rating/zones.ts';
import { badRequest } from './refusal.ts';
import { AddressRequest, read } from './requests.ts';
import type { Address } from './wire.ts';
import { type Account, type SimulatorState, stored } from './world.ts';

const countriesWithStates = ['US', 'CA', 'AU'];
const neededFields = ['name', 'street1', 'city', 'state', 'zip', 'country'] as const;

/** The fields without which no label can be bought to or from an address. */
export function missingFields(address: Address): string[] {
  return neededFields.filter(
    (field) => !address[field].trim() && (field !== 'state' || countriesWithStates.includes(address.country)),
  );
}

/** A new address. `field` names where in the request it stood, for the words of a refusal. */
export function createAddress(world: SimulatorState, account: Account, value: unknown, field?: string): Address {
  const { validate, ...request } = read(AddressRequest, value, field);
  const address: Address = {
    ...stored(world, account),
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

/** An address of a shipment: written out, or the id of one made before. */
export function addressOf(world: SimulatorState, account: Account, value: unknown, field: string): Address {
  if (typeof value !== 'string') return createAddress(world, account, value, field);
  const address = account.addresses.get(value);
  if (!address) throw badRequest({ [field]: ['Address with supplied object_id not found.'] });
  return address;
}

/** What the validator thinks. A street that is called invalid is one that it cannot find. */
export function validationOf(address: Address): Address['validation_results'] {
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
