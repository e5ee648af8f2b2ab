import { carriers } from '../carriers.ts';
import type { Message, Parcel, Rate, RateAttribute, Shipment } from '../wire.ts';
import { type Account, type SimulatorState, stored } from '../world.ts';
import { type Service, services } from './services.ts';
import { isZip, zoneBetween } from './zones.ts';

export interface Quote {
  rates: Rate[];
  messages: Message[];
}

const gramsPer: Record<string, number> = { g: 1, kg: 1000, lb: 453.59237, oz: 28.349523125 };

/** What the active carriers ask for a shipment, and what those that ask nothing have to say. */
export function quote(world: SimulatorState, account: Account, shipment: Shipment): Quote {
  const asked = account.carriers.filter(
    ({ object_id, active, carrier }) =>
      carriers[carrier] &&
      (shipment.carrier_accounts.length > 0 ? shipment.carrier_accounts.includes(object_id) : active),
  );
  const international = shipment.address_from.country !== shipment.address_to.country;
  const domestic = !international && shipment.address_from.country === 'US';
  const rates: Rate[] = [];
  const messages: Message[] = [];

  for (const carrierAccount of asked) {
    const source = carrierAccount.carrier_name;
    const refuse = (code: string, text: string) => messages.push({ source, code, text });
    const offered = services.filter(
      (service) => service.carrier === carrierAccount.carrier && (service.international ? international : domestic),
    );
    const pounds = shipment.parcels.map(poundsOf);
    const able = offered.filter((service) => Math.max(...pounds) <= service.weightPoundsMax);
    if (offered.length === 0) {
      refuse('', `${source} does not serve this pair of countries with the services of this account.`);
    } else if (domestic && !isZip(shipment.address_from.zip)) {
      refuse('invalid_postal_code', 'The origin postal code is missing or invalid.');
    } else if (domestic && !isZip(shipment.address_to.zip)) {
      refuse('invalid_postal_code', 'The destination postal code is missing or invalid.');
    } else if (able.length === 0) {
      refuse('weight', `The package weight exceeds the maximum of ${source}.`);
    } else {
      for (const service of able) {
        rates.push(rateFor(world, account, shipment, service, carrierAccount.object_id, pounds));
      }
    }
  }
  if (asked.length === 0) {
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
  world: SimulatorState,
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
    ...stored(world, account),
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

/** Carriers charge whole pounds, rounded up; a letter weighs one. */
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
