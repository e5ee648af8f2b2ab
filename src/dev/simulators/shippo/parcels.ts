import { created, type Endpoint, newestFirst, ok, pageOf } from './endpoint.ts';
import { badRequest, notFound } from './error.ts';
import type { Parcel } from './objects.ts';
import { ParcelRequest, read } from './requests.ts';
import { type Account, type SimulatorState, stored } from './state.ts';

function createParcel(simulator: SimulatorState, account: Account, value: unknown, field?: string): Parcel {
  const parcel: Parcel = {
    ...stored(simulator, account),
    object_state: 'VALID',
    template: null,
    metadata: '',
    extra: {},
    ...read(ParcelRequest, value, field),
  };
  account.parcels.set(parcel.object_id, parcel);
  return parcel;
}

/** A parcel of a shipment: given in full, or the id of an existing one. */
export function parcelOf(simulator: SimulatorState, account: Account, value: unknown): Parcel {
  if (typeof value !== 'string') return createParcel(simulator, account, value, 'parcels');
  const parcel = account.parcels.get(value);
  if (!parcel) throw badRequest({ parcels: ['Parcel with supplied object_id not found.'] });
  return parcel;
}

export const parcelEndpoints: Endpoint[] = [
  {
    method: 'post',
    path: '/parcels',
    handle: ({ simulator, account, body }) => created(createParcel(simulator, account, body)),
  },
  {
    method: 'get',
    path: '/parcels',
    handle: ({ account, url }) => ok(pageOf(newestFirst(account.parcels), url)),
  },
  {
    method: 'get',
    path: '/parcels/:id',
    handle({ account, params }) {
      const parcel = account.parcels.get(params.id ?? '');
      if (!parcel) throw notFound();
      return ok(parcel);
    },
  },
];
