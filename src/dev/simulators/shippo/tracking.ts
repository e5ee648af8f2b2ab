import { type Endpoint, ok } from './endpoint.ts';
import type { Address, Place, Rate, Shipment, Track, TrackingStatusName, Transaction } from './objects.ts';
import { read, TrackRequest } from './requests.ts';
import type { Account, SimulatorState } from './state.ts';
import { notify } from './webhooks.ts';

interface StatusDetails {
  substatus: string;
  details: string;
}

const statusDetails: Record<TrackingStatusName, StatusDetails> = {
  UNKNOWN: { substatus: 'other', details: 'The carrier has no information about this parcel yet.' },
  PRE_TRANSIT: { substatus: 'information_received', details: 'Shipment information received.' },
  TRANSIT: { substatus: 'package_accepted', details: 'The carrier has accepted the package.' },
  DELIVERED: { substatus: 'delivered', details: 'Your shipment has been delivered.' },
  RETURNED: { substatus: 'return_to_sender', details: 'The package is returned to its sender.' },
  FAILURE: { substatus: 'package_undeliverable', details: 'The package cannot be delivered.' },
};

/** A track without any status. */
function blankTrack(carrier: string, number: string): Track {
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

/** Every purchased label is tracked without a request. */
export function beginTrack(
  simulator: SimulatorState,
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
  takeStep(simulator, track, 'UNKNOWN');
  account.tracks.set(`${carrier}/${number}`, track);
}

/** Set the status of a parcel, whatever it was, and send the webhooks. */
export function moveTrack(
  simulator: SimulatorState,
  account: Account,
  track: Track,
  status: TrackingStatusName,
  substatus?: string,
): void {
  takeStep(simulator, track, status, substatus);
  const transaction = account.transactions.get(track.transaction ?? '');
  if (transaction) {
    transaction.tracking_status = status;
    transaction.object_updated = simulator.now().toISOString();
  }
  notify(simulator, account, 'track_updated', track);
}

/** Add a step to a track's history without a webhook. */
function takeStep(simulator: SimulatorState, track: Track, status: TrackingStatusName, substatus?: string): void {
  const now = simulator.now().toISOString();
  const code = substatus ?? statusDetails[status].substatus;
  const text = substatus === undefined ? statusDetails[status].details : substatus.replaceAll('_', ' ');
  const problem = status === 'FAILURE' || status === 'RETURNED';
  track.tracking_status = {
    object_id: simulator.newId(),
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

export const trackEndpoints: Endpoint[] = [
  {
    method: 'post',
    path: '/tracks',
    handle({ account, body }) {
      const { carrier, tracking_number: number, metadata } = read(TrackRequest, body);
      const track = findTrack(account, carrier, number);
      if (metadata !== undefined) track.metadata = metadata;
      account.tracks.set(`${carrier}/${number}`, track);
      return ok(track);
    },
  },
  {
    method: 'get',
    path: '/tracks/:carrier/:number',
    handle: ({ account, params }) => ok(findTrack(account, params.carrier ?? '', params.number ?? '')),
  },
];

function findTrack(account: Account, carrier: string, number: string): Track {
  return account.tracks.get(`${carrier}/${number}`) ?? blankTrack(carrier, number);
}
