import { addressOf } from './addresses.ts';
import { type Call, created, type Endpoint, retrieve } from './endpoint.ts';
import { badRequest } from './error.ts';
import type { CustomsDeclaration, Parcel, Shipment } from './objects.ts';
import { quote } from './quote.ts';
import { CustomsRequest, ParcelRequest, read, ShipmentRequest } from './requests.ts';
import { type Account, type SimulatorState, stored } from './state.ts';

const quoteDelayMs = 25;

export const shipmentEndpoints: Endpoint[] = [
  { method: 'post', path: '/shipments', handle: (call) => created(createShipment(call)) },
  retrieve('/shipments/:id', 'shipments'),
  retrieve('/rates/:id', 'rates'),
];

function createShipment(call: Call): Shipment {
  const { simulator, account, body } = call;
  const request = read(ShipmentRequest, body);
  const from = addressOf(simulator, account, request.address_from, 'address_from');
  const unknown = request.carrier_accounts?.find((id) => !account.carriers.some((one) => one.object_id === id));
  if (unknown !== undefined) {
    throw badRequest({ carrier_accounts: [`Carrier account with supplied object_id ${unknown} not found.`] });
  }
  const shipment: Shipment = {
    ...stored(simulator, account),
    status: 'QUEUED',
    address_from: from,
    address_to: addressOf(simulator, account, request.address_to, 'address_to'),
    address_return: from,
    parcels: request.parcels.map((parcel) => parcelOf(simulator, account, parcel)),
    rates: [],
    messages: [],
    carrier_accounts: request.carrier_accounts ?? [],
    customs_declaration: declarationOf(simulator, account, request.customs_declaration),
    extra: request.extra ?? {},
    metadata: request.metadata ?? '',
    shipment_date: request.shipment_date ?? simulator.now().toISOString(),
  };
  account.shipments.set(shipment.object_id, shipment);
  // The API rates asynchronously by default.
  if (request.async === false) rate(call, shipment);
  else simulator.pending.later(quoteDelayMs, () => rate(call, shipment));
  return shipment;
}

function rate({ simulator, account, fault }: Call, shipment: Shipment): void {
  const noRates = { source: 'Shippo', code: fault?.code ?? '', text: fault?.text ?? 'No rates were found.' };
  const { rates, messages } =
    fault?.kind === 'no_rates' ? { rates: [], messages: [noRates] } : quote(simulator, account, shipment);
  for (const rate of rates) account.rates.set(rate.object_id, rate);
  shipment.rates = rates;
  shipment.messages = messages;
  shipment.status = 'SUCCESS';
  shipment.object_updated = simulator.now().toISOString();
}

function parcelOf(simulator: SimulatorState, account: Account, value: unknown): Parcel {
  return {
    ...stored(simulator, account),
    object_state: 'VALID',
    template: null,
    metadata: '',
    extra: {},
    ...read(ParcelRequest, value, 'parcels'),
  };
}

/** The customs declaration of a shipment, given in full; its items are returned as ids. */
function declarationOf(simulator: SimulatorState, account: Account, value: unknown): CustomsDeclaration | null {
  if (value === undefined) return null;
  const { items, ...request } = read(CustomsRequest, value, 'customs_declaration');
  return {
    ...stored(simulator, account),
    object_state: 'VALID',
    metadata: '',
    ...request,
    items: items.map(() => simulator.newId()),
  };
}
