import { badRequest } from './refusal.ts';
import { ParcelRequest, read } from './requests.ts';
import type { Parcel } from './wire.ts';
import { type Account, type SimulatorState, stored } from './world.ts';

/** A new parcel. */
export function createParcel(world: SimulatorState, account: Account, value: unknown, field?: string): Parcel {
  const parcel: Parcel = {
    ...stored(world, account),
    object_state: 'VALID',
    template: null,
    metadata: '',
    extra: {},
    ...read(ParcelRequest, value, field),
  };
  account.parcels.set(parcel.object_id, parcel);
  return parcel;
}

/** A parcel of a shipment: written out, or the id of one made before. */
export function parcelOf(world: SimulatorState, account: Account, value: unknown): Parcel {
  if (typeof value !== 'string') return createParcel(world, account, value, 'parcels');
  const parcel = account.parcels.get(value);
  if (!parcel) throw badRequest({ parcels: ['Parcel with supplied object_id not found.'] });
  return parcel;
}
