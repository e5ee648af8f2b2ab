import { carrierAccounts } from './carriers.ts';
import { idFor } from './random.ts';
import { RejectionKind } from './refusal.ts';
import type { Account, SimulatorState } from './world.ts';

/** The account of a token, made on first sight; undefined for what could not be a token. */
export function accountOf(world: SimulatorState, token: string): Account | undefined {
  const known = world.accounts.get(token);
  if (known) return known;
  if (!/^shippo_(test|live)_[\w-]+$/.test(token) || token.includes('revoked')) return undefined;
  const owner = `${idFor(token).slice(0, 12)}@shops.example`;
  const account: Account = {
    token,
    owner,
    test: token.startsWith('shippo_test_'),
    insufficientFunds: false,
    authBroken: false,
    carriers: carrierAccounts(token, owner),
    addresses: new Map(),
    parcels: new Map(),
    shipments: new Map(),
    rates: new Map(),
    transactions: new Map(),
    refunds: new Map(),
    tracks: new Map(),
    webhooks: new Map(),
    webhookSecrets: new Map(),
    deliveries: [],
  };
  world.accounts.set(token, account);
  return account;
}

/** Whoever is calling, by the `Authorization` header. */
export function authenticate(world: SimulatorState, header: string | undefined): Account {
  const token = header?.match(/^ShippoToken\s+(\S+)$/i)?.[1];
  if (token === undefined) {
    throw new RejectionKind(401, { detail: 'Authentication credentials were not provided.' });
  }
  const account = accountOf(world, token);
  if (!account || account.authBroken) throw new RejectionKind(401, { detail: 'Token does not exist' });
  return account;
}
