import { carriers } from './carriers.ts';
import type { Message, Parcel, Rate, RateAttribute, Shipment } from './objects.ts';
import { type Service, services } from './services.ts';
import { type Account, type SimulatorState, stored } from './state.ts';

export interface Quote {
  rates: Rate[];
  messages: Message[];
}

const gramsPer: Record<string, number> = { g: 1, kg: 1000, lb: 453.59237, oz: 28.349523125 };

/** The rates of the active carriers for a shipment, and the messages of those that have none. */
export function quote(simulator: SimulatorState, account: Account, shipment: Shipment): Quote {
  const eligible = account.carriers.filter(
    ({ object_id, active, carrier }) =>
      carriers[carrier] &&
      (shipment.carrier_accounts.length > 0 ? shipment.carrier_accounts.includes(object_id) : active),
  );
  const international = shipment.address_from.country !== shipment.address_to.country;
  const domestic = !international && shipment.address_from.country === 'US';
  const rates: Rate[] = [];
  const messages: Message[] = [];

  for (const carrierAccount of eligible) {
    const source = carrierAccount.carrier_name;
    const addMessage = (code: string, text: string) => messages.push({ source, code, text });
    const offered = services.filter(
      (service) => service.carrier === carrierAccount.carrier && (service.international ? international : domestic),
    );
    const pounds = shipment.parcels.map(poundsOf);
    const able = offered.filter((service) => Math.max(...pounds) <= service.weightPoundsMax);
    if (offered.length === 0) {
      addMessage('', `${source} does not serve this pair of countries with the services of this account.`);
    } else if (domestic && !isZip(shipment.address_from.zip)) {
      addMessage('invalid_postal_code', 'The origin postal code is missing or invalid.');
    } else if (domestic && !isZip(shipment.address_to.zip)) {
      addMessage('invalid_postal_code', 'The destination postal code is missing or invalid.');
    } else if (able.length === 0) {
      addMessage('weight', `The package weight exceeds the maximum of ${source}.`);
    } else {
      for (const service of able) {
        rates.push(rateFor(simulator, account, shipment, service, carrierAccount.object_id, pounds));
      }
    }
  }
  if (eligible.length === 0) {
    messages.push({
      source: 'Shippo',
      code: '',
      text: 'No active carrier account was found for this shipment.',
    });
  }
  markAttributes(rates);
  return { rates, messages };
}

function rateFor(
  simulator: SimulatorState,
  account: Account,
  shipment: Shipment,
  service: Service,
  carrierAccount: string,
  pounds: number[],
): Rate {
  const zone = service.international ? 1 : zoneBetween(shipment.address_from.zip, shipment.address_to.zip);
  const cents = pounds.reduce((sum, weight) => sum + priceCents(service, weight, zone), 0);
  const amount = (cents / 100).toFixed(2);
  const days = service.days[zone - 1] ?? 5;
  return {
    ...stored(simulator, account),
    shipment: shipment.object_id,
    attributes: [],
    amount,
    currency: 'USD',
    amount_local: amount,
    currency_local: 'USD',
    provider: carriers[service.carrier]?.name ?? service.carrier,
    servicelevel: { name: service.name, token: service.token, terms: '', extended_token: service.token },
    estimated_days: days,
    duration_terms: `Delivery in ${days} to ${days + 1} business days.`,
    arrives_by: null,
    carrier_account: carrierAccount,
    zone: service.international ? '' : String(zone),
    messages: [],
  };
}

function priceCents(service: Service, pounds: number, zone: number): number {
  return (
    service.baseCents +
    service.perZoneCents * (zone - 1) +
    (service.perPoundCents + service.perPoundZoneCents * zone) * (pounds - 1)
  );
}

/** Carriers charge whole pounds, rounded up, and at least one. */
function poundsOf(parcel: Parcel): number {
  const grams = Number(parcel.weight) * (gramsPer[parcel.mass_unit] ?? 1);
  return Math.max(1, Math.ceil(Number((grams / 453.59237).toFixed(6))));
}

function markAttributes(rates: Rate[]): void {
  const least = (attribute: RateAttribute, cost: (rate: Rate) => number) => {
    const [first, ...others] = rates;
    if (!first) return;
    const best = others.reduce((best, rate) => (cost(rate) < cost(best) ? rate : best), first);
    best.attributes.push(attribute);
  };
  least('CHEAPEST', (rate) => Number(rate.amount));
  least('FASTEST', (rate) => rate.estimated_days * 10_000 + Number(rate.amount));
  least('BESTVALUE', (rate) => Number(rate.amount) * (1 + rate.estimated_days / 4));
}

/** The approximate location of the ZIP codes that begin with each digit: latitude, longitude. */
const regions: readonly (readonly [number, number])[] = [
  [42.4, -72.2],
  [41.5, -75.5],
  [37.0, -79.5],
  [31.5, -84.0],
  [40.3, -84.2],
  [44.5, -93.5],
  [39.8, -91.5],
  [32.0, -95.8],
  [39.0, -110.0],
  [38.5, -120.8],
];

const zoneMilesMax = [50, 150, 300, 600, 1000, 1400, 1800];

/** True for the ZIP codes that a carrier accepts. */
function isZip(zip: string): boolean {
  return /^\d{5}(-?\d{4})?$/.test(zip) && !zip.startsWith('000');
}

/** The zone, 1 to 8, between two ZIP codes. */
function zoneBetween(fromZip: string, toZip: string): number {
  const miles = milesBetween(placeOf(fromZip), placeOf(toZip));
  const zone = zoneMilesMax.findIndex((max) => miles <= max);
  return zone < 0 ? 8 : zone + 1;
}

// The next two digits spread a region's places over some 200 by 200 miles, so that nearer numbers are nearer.
function placeOf(zip: string): readonly [number, number] {
  const [latitude, longitude] = regions[Number(zip[0])] ?? [39.8, -98.6];
  return [latitude + (Number(zip[1]) - 4.5) * 0.35, longitude + (Number(zip[2]) - 4.5) * 0.4];
}

function milesBetween(from: readonly [number, number], to: readonly [number, number]): number {
  const northMiles = (to[0] - from[0]) * 69;
  const eastMiles = (to[1] - from[1]) * 69 * Math.cos((((from[0] + to[0]) / 2) * Math.PI) / 180);
  return Math.hypot(northMiles, eastMiles);
}
