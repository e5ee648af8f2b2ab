import { addressOf } from './addresses.ts';
import { type Call, created, type Endpoint, newestFirst, ok, pageOf } from './endpoint.ts';
import { badRequest, notFound } from './error.ts';
import type { CustomsDeclaration, Shipment } from './objects.ts';
import { parcelOf } from './parcels.ts';
import { quote } from './quote.ts';
import { CustomsRequest, read, ShipmentRequest } from './requests.ts';
import { type Account, type SimulatorState, stored } from './state.ts';

const quoteDelayMs = 25;
const listDaysMax = 90;

export const shipmentEndpoints: Endpoint[] = [
  { method: 'post', path: '/shipments', handle: (call) => created(createShipment(call)) },
  {
    method: 'get',
    path: '/shipments',
    handle: ({ account, url }) => ok(pageOf(newestFirst(account.shipments).filter(within(url)), url)),
  },
  { method: 'get', path: '/shipments/:id', handle: (call) => ok(findShipment(call)) },
  {
    method: 'get',
    path: '/shipments/:id/rates',
    handle: (call) => ok(pageOf(findShipment(call).rates, call.url)),
  },
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
    address_return:
      request.address_return === undefined
        ? from
        : addressOf(simulator, account, request.address_return, 'address_return'),
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

function findShipment({ account, params }: Call): Shipment {
  const shipment = account.shipments.get(params.id ?? '');
  if (!shipment) throw notFound();
  return shipment;
}

function within({ searchParams }: URL): (shipment: Shipment) => boolean {
  const at = (name: string) => {
    const value = searchParams.get(`object_created_${name}`);
    const time = value === null ? undefined : Date.parse(value);
    if (Number.isNaN(time)) throw badRequest({ [`object_created_${name}`]: ['Enter a valid date/time.'] });
    return time;
  };
  const [gt, gte, lt, lte] = [at('gt'), at('gte'), at('lt'), at('lte')];
  const days = ((lt ?? lte ?? 0) - (gt ?? gte ?? 0)) / 86_400_000;
  if ((lt ?? lte) !== undefined && (gt ?? gte) !== undefined && days > listDaysMax) {
    throw badRequest({ __all__: [`The date range must not exceed ${listDaysMax} days.`] });
  }
  return ({ object_created }) => {
    const time = Date.parse(object_created);
    return (
      (gt === undefined || time > gt) &&
      (gte === undefined || time >= gte) &&
      (lt === undefined || time < lt) &&
      (lte === undefined || time <= lte)
    );
  };
}

export const rateEndpoints: Endpoint[] = [
  {
    method: 'get',
    path: '/rates/:id',
    handle({ account, params }) {
      const rate = account.rates.get(params.id ?? '');
      if (!rate) throw notFound();
      return ok(rate);
    },
  },
];

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
