import { randomUUID } from 'node:crypto';

import { Shippo } from 'shippo';
import { HTTPClient } from 'shippo/lib/http.js';

import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { type ShippoSimulatorOptions, startShippoSimulator } from '#src/dev/simulators/shippo/simulator.ts';

export const sender = {
  name: 'Fern & Fable',
  street1: '215 Clayton St',
  city: 'San Francisco',
  state: 'CA',
  zip: '94117',
  country: 'US',
  phone: '+14155550101',
  email: 'post@fernandfable.example',
};

export const shopper = {
  name: 'Ada Wells',
  street1: '40 W 23rd St',
  city: 'New York',
  state: 'NY',
  zip: '10010',
  country: 'US',
};

export const parcel = {
  length: '10',
  width: '8',
  height: '4',
  distanceUnit: 'in',
  weight: '2.5',
  massUnit: 'lb',
} as const;

/** A simulator, its control, and a function that opens an account of its own. */
export async function shippoBundle(options?: ShippoSimulatorOptions) {
  const simulator = await startShippoSimulator(options);
  const sdk = (token: string, signal?: AbortSignal) =>
    new Shippo({
      apiKeyHeader: token,
      serverURL: simulator.url,
      shippoApiVersion: '2018-02-08',
      httpClient: new HTTPClient({ fetcher: (input, init) => fetch(input, { ...init, ...(signal && { signal }) }) }),
    });
  return {
    simulator,
    control: shippoControl(simulator.url),
    sdk,
    open(mode: 'test' | 'live' = 'test') {
      const token = `shippo_${mode}_${randomUUID().replaceAll('-', '')}`;
      return { token, shippo: sdk(token) };
    },
  };
}

/** A shipment with its rates, from one coast to the other. */
export function ship(shippo: Shippo, changes: object = {}) {
  return shippo.shipments.create({
    addressFrom: sender,
    addressTo: shopper,
    parcels: [parcel],
    async: false,
    ...changes,
  });
}

/** The id of the cheapest rate of a new shipment. */
export async function cheapestRate(shippo: Shippo): Promise<string> {
  const { rates } = await ship(shippo);
  const cheapest = rates.find(({ attributes }) => attributes.includes('CHEAPEST'));
  if (!cheapest) throw new Error('No rate is marked as the cheapest.');
  return cheapest.objectId;
}
