import { LRUCache } from 'lru-cache';

import type { CallOptions, ShippingAccount } from '#src/domain/ports/shipping-gateway.ts';
import { shortDigest } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import type { CallShippo } from './call-shippo.ts';
import { CarrierAccountsWire } from './wire.ts';

export interface CarrierAccount {
  readonly id: string;
  readonly carrier: string;
}

/** Shippo's default page size is 5; this is its maximum. */
const pageSize = 100;
const pagesMax = 10;

/**
 * The carriers that an account may use. Shippo's rate limit for lists is low (10 a minute in test mode), so they are
 * cached, and concurrent requests are made once.
 */
export function createCarrierList(call: CallShippo) {
  const cached = new LRUCache<string, readonly CarrierAccount[], { account: ShippingAccount; options: CallOptions }>({
    max: 1000,
    ttl: minutes(10),
    // A list that is dropped or replaced while it is fetched is still what its callers wait for.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context }) => fetchAll(context.account, context.options),
  });

  async function fetchAll(account: ShippingAccount, options: CallOptions): Promise<CarrierAccount[]> {
    const active: CarrierAccount[] = [];
    for (let page = 1; page <= pagesMax; page += 1) {
      const { results, next } = await call(
        { account, operation: 'carrier_accounts.list', response: CarrierAccountsWire, options },
        (shippo) => shippo.carrierAccounts.list({ page, results: pageSize }),
      );
      active.push(
        ...results.flatMap(({ object_id: id, carrier, active }) => (active === false ? [] : [{ id, carrier }])),
      );
      if (!next || results.length === 0) break;
    }
    return active;
  }

  return {
    /** Fetch the list from Shippo, not from the cache. */
    async fetch(account: ShippingAccount, options: CallOptions = {}): Promise<void> {
      cached.set(keyOf(account), await fetchAll(account, options));
    },
    /** The active accounts of these carriers, or of all of them where none is named. */
    async chosen(
      account: ShippingAccount,
      carriers: readonly string[],
      options: CallOptions = {},
    ): Promise<readonly CarrierAccount[]> {
      const active = (await cached.fetch(keyOf(account), { context: { account, options } })) ?? [];
      return carriers.length === 0 ? active : active.filter(({ carrier }) => carriers.includes(carrier));
    },
    /** Drop the cached list: an operator may be activating a carrier right now. */
    drop(account: ShippingAccount): void {
      cached.delete(keyOf(account));
    },
  };
}

const keyOf = ({ tenantId, apiKey }: ShippingAccount) => `${tenantId} ${shortDigest(apiKey, 16)}`;
