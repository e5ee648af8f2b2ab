import type * as wire from './wire.ts';
import type { Account, Delivery } from './world.ts';

/** All that an account holds, and what its labels have cost. */
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
  /** Labels that were ever paid for, those refunded since among them. */
  labels_bought: number;
  /** What they cost, in US cents, refunds not taken off. */
  charged_cents: number;
}

/** Everything oldest first. */
export function summaryOf(account: Account): AccountSummary {
  const transactions = [...account.transactions.values()];
  const bought = transactions.filter(({ tracking_number }) => tracking_number !== null);
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
    charged_cents: bought.reduce(
      (sum, { rate }) => sum + Math.round(Number(account.rates.get(rate)?.amount ?? 0) * 100),
      0,
    ),
  };
}
