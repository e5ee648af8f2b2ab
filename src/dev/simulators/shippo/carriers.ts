import { type Endpoint, ok, pageOf } from './endpoint.ts';
import type { CarrierAccount } from './objects.ts';
import { idFor } from './state.ts';

interface Carrier {
  name: string;
  trackingUrl: string;
  trackingNumber(id: string): string;
}

/** The carriers that the simulator can rate and buy from. */
export const carriers: Partial<Record<string, Carrier>> = {
  usps: {
    name: 'USPS',
    trackingUrl: 'https://tools.usps.com/go/TrackConfirmAction_input?origTrackNum=',
    trackingNumber: (id) => withMod10(`92055901755477${digitsFrom(id, 7)}`),
  },
  ups: {
    name: 'UPS',
    trackingUrl: 'https://wwwapps.ups.com/WebTracking/track?track=yes&trackNums=',
    trackingNumber: (id) => `1ZXXX${withMod10(`12${digitsFrom(id, 10)}`)}`,
  },
  fedex: {
    name: 'FedEx',
    trackingUrl: 'https://www.fedex.com/fedextrack/?trknbr=',
    trackingNumber: (id) => `7948${digitsFrom(id, 8)}`,
  },
  dhl_express: {
    name: 'DHL Express',
    trackingUrl: 'https://www.dhl.com/en/express/tracking.html?AWB=',
    trackingNumber: (id) => `91${digitsFrom(id, 8)}`,
  },
};

const otherNames: Partial<Record<string, string>> = {
  canada_post: 'Canada Post',
  ontrac: 'OnTrac',
  veho: 'Veho',
};

// More than five, with an active one near the end: code that reads only the first page of five misses it.
const defaultCarriers: Record<string, boolean> = {
  usps: true,
  ups: true,
  fedex: true,
  ontrac: false,
  canada_post: false,
  dhl_express: true,
  veho: false,
};

/** The default carrier accounts of a new account, or exactly those that are named. */
export function carrierAccounts(token: string, owner: string, named?: string[]): CarrierAccount[] {
  const wanted = named ? named.map((carrier) => [carrier, true] as const) : Object.entries(defaultCarriers);
  return wanted.map(([carrier, active]) => ({
    // The same after a restart: stores save these ids.
    object_id: idFor(`${token} ${carrier}`),
    object_owner: owner,
    carrier,
    carrier_name: carriers[carrier]?.name ?? otherNames[carrier] ?? carrier,
    account_id: `shippo_${carrier}_account`,
    active,
    is_shippo_account: true,
    metadata: '',
    parameters: {},
    test: token.startsWith('shippo_test_'),
    object_info: { authentication: { type: 'default', status: 'connected' } },
  }));
}

function withMod10(digits: string): string {
  const sum = [...digits].reverse().reduce((sum, digit, at) => sum + Number(digit) * (at % 2 === 0 ? 3 : 1), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

export const carrierAccountEndpoints: Endpoint[] = [
  { method: 'get', path: '/carrier_accounts', handle: ({ account, url }) => ok(pageOf(account.carriers, url, 5)) },
];

/** `count` decimal digits drawn from a hexadecimal id. */
function digitsFrom(id: string, count: number): string {
  return (BigInt(`0x${id}`) % 10n ** BigInt(count)).toString().padStart(count, '0');
}
