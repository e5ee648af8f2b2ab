import { notify } from './deliveries.ts';
import type { Address, Place, Rate, Shipment, Track, TrackingStatusName, Transaction } from './wire.ts';
import type { Account, SimulatorState } from './world.ts';

interface Usual {
  substatus: string;
  details: string;
}

const usual: Record<TrackingStatusName, Usual> = {
  UNKNOWN: { substatus: 'other', details: 'The carrier has not yet told anything about this parcel.' },
  PRE_TRANSIT: { substatus: 'information_received', details: 'Shipment information received.' },
  TRANSIT: { substatus: 'package_accepted', details: 'The carrier has accepted the package.' },
  DELIVERED: { substatus: 'delivered', details: 'Your shipment has been delivered.' },
  RETURNED: { substatus: 'return_to_sender', details: 'The package is returned to its sender.' },
  FAILURE: { substatus: 'package_undeliverable', details: 'The package cannot be delivered.' },
};

/** A track that nothing is known of yet. */
export function blankTrack(carrier: string, number: string): Track {
  return {
    carrier,
    tracking_number: number,
    address_from: null,
    address_to: null,
    servicelevel: null,
    eta: null,
    original_eta: null,
    transaction: null,
    metadata: '',
    tracking_status: null,
    tracking_history: [],
    messages: [],
  };
}

/** Every label that is bought is tracked without being asked for. */
export function beginTrack(
  world: SimulatorState,
  account: Account,
  transaction: Transaction,
  rate: Rate,
  shipment: Shipment,
): void {
  const carrier = account.carriers.find((one) => one.object_id === rate.carrier_account)?.carrier ?? '';
  const number = transaction.tracking_number ?? '';
  const track: Track = {
    ...blankTrack(carrier, number),
    address_from: placeOf(shipment.address_from),
    address_to: placeOf(shipment.address_to),
    servicelevel: { token: rate.servicelevel.token, name: rate.servicelevel.name },
    eta: transaction.eta,
    original_eta: transaction.eta,
    transaction: transaction.object_id,
    metadata: transaction.metadata,
  };
  takeStep(world, track, 'UNKNOWN');
  account.tracks.set(`${carrier}/${number}`, track);
}

/** Move a parcel, whether or not that is the way parcels go, and tell whoever listens. */
export function moveTrack(
  world: SimulatorState,
  account: Account,
  track: Track,
  status: TrackingStatusName,
  substatus?: string,
): void {
  takeStep(world, track, status, substatus);
  const transaction = account.transactions.get(track.transaction ?? '');
  if (transaction) {
    transaction.tracking_status = status;
    transaction.object_updated = world.now().toISOString();
  }
  notify(world, account, 'track_updated', track);
}

/** Add a step to a track's history without telling anyone. */
export function takeStep(world: SimulatorState, track: Track, status: TrackingStatusName, substatus?: string): void {
  const now = world.now().toISOString();
  const code = substatus ?? usual[status].substatus;
  const text = substatus === undefined ? usual[status].details : substatus.replaceAll('_', ' ');
  const problem = status === 'FAILURE' || status === 'RETURNED';
  track.tracking_status = {
    object_id: world.newId(),
    object_created: now,
    object_updated: now,
    status,
    substatus: { code, text, action_required: problem },
    status_date: now,
    status_details: text,
    location: status === 'DELIVERED' ? track.address_to : track.address_from,
  };
  track.tracking_history.push(track.tracking_status);
}

function placeOf({ city, state, zip, country }: Address): Place {
  return { city, state, zip, country };
}
