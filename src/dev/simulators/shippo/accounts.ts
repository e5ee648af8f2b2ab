import { carrierAccounts } from './carriers.ts';
import { ShippoError } from './error.ts';
import type * as wire from './objects.ts';
import { type Account, type Delivery, idFor, type SimulatorState } from './state.ts';

/** The account of a token, created on first use; undefined for an invalid token. */
export function accountOf(simulator: SimulatorState, token: string): Account | undefined {
  const known = simulator.accounts.get(token);
  if (known) return known;
  if (!/^shippo_(test|live)_[\w-]+$/.test(token) || token.includes('revoked')) return undefined;
  const owner = `${idFor(token).slice(0, 12)}@stores.example`;
  const account: Account = {
    token,
    owner,
    test: token.startsWith('shippo_test_'),
    insufficientFunds: false,
    authBroken: false,
    carriers: carrierAccounts(token, owner),
    shipments: new Map(),
    rates: new Map(),
    transactions: new Map(),
    refunds: new Map(),
    tracks: new Map(),
    webhooks: new Map(),
    webhookSecrets: new Map(),
    deliveries: [],
  };
  simulator.accounts.set(token, account);
  return account;
}

/** The account of the caller, by the `Authorization` header. */
export function authenticate(simulator: SimulatorState, header: string | undefined): Account {
  const token = header?.match(/^ShippoToken\s+(\S+)$/i)?.[1];
  if (token === undefined) {
    throw new ShippoError(401, { detail: 'Authentication credentials were not provided.' });
  }
  const account = accountOf(simulator, token);
  if (!account || account.authBroken) throw new ShippoError(401, { detail: 'Token does not exist' });
  return account;
}

/** All objects of an account, and the cost of its labels. */
export interface AccountSummary {
  token: string;
  test: boolean;
  insufficient_funds: boolean;
  auth_broken: boolean;
  carrier_accounts: wire.CarrierAccount[];
  shipments: wire.Shipment[];
  transactions: wire.Transaction[];
  transactions_by_status: Partial<Record<wire.TransactionStatus, number>>;
  refunds: wire.Refund[];
  tracks: wire.Track[];
  webhooks: wire.Webhook[];
  deliveries: Delivery[];
  /** Labels that were ever paid for, refunded ones included. */
  labels_bought: number;
  /** Their cost in US cents, without refunds. */
  charged_cents: number;
  /** The part of it that was refunded. */
  refunded_cents: number;
}

/** All objects, oldest first. */
export function summaryOf(account: Account): AccountSummary {
  const transactions = [...account.transactions.values()];
  const bought = transactions.filter(({ tracking_number }) => tracking_number !== null);
  const costOf = (labels: readonly wire.Transaction[]) =>
    labels.reduce((sum, { rate }) => sum + Math.round(Number(account.rates.get(rate)?.amount ?? 0) * 100), 0);
  const byStatus: AccountSummary['transactions_by_status'] = {};
  for (const { status } of transactions) byStatus[status] = (byStatus[status] ?? 0) + 1;
  return {
    token: account.token,
    test: account.test,
    insufficient_funds: account.insufficientFunds,
    auth_broken: account.authBroken,
    carrier_accounts: account.carriers,
    shipments: [...account.shipments.values()],
    transactions,
    transactions_by_status: byStatus,
    refunds: [...account.refunds.values()],
    tracks: [...account.tracks.values()],
    webhooks: [...account.webhooks.values()],
    deliveries: account.deliveries,
    labels_bought: bought.length,
    charged_cents: costOf(bought),
    refunded_cents: costOf(bought.filter(({ status }) => status === 'REFUNDED')),
  };
}
