import type { Address } from './objects.ts';
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

/** An address of a shipment. `field` is its place in the request, for error messages. */
export function addressOf(simulator: SimulatorState, account: Account, value: unknown, field: string): Address {
  const request = read(AddressRequest, value, field);
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
  return address;
}
