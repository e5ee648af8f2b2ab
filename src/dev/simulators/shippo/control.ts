import { controlCaller } from '../call-control.ts';
import type { AccountSummary } from './accounts.ts';
import type { Fault } from './faults.ts';
import type { Refund, RefundStatus, Track, TrackingStatusName, Transaction, Webhook, WebhookEvent } from './objects.ts';
import type { DeliverySettings, RequestRecord } from './state.ts';

export type { AccountSummary, Fault };

export interface AccountSettings {
  insufficient_funds?: boolean;
  auth_broken?: boolean;
  /** Exactly these carriers, all active. */
  carriers?: string[];
}

export interface ShippoControl {
  fault(fault: Fault): Promise<void>;
  clearFaults(): Promise<void>;
  moveTrack(trackingNumber: string, status: TrackingStatusName, substatus?: string): Promise<Track>;
  resolveTransaction(
    id: string,
    status: 'SUCCESS' | 'ERROR',
    message?: { code?: string; text?: string },
  ): Promise<Transaction>;
  resolveRefund(id: string, status: RefundStatus): Promise<Refund>;
  registerWebhook(token: string, webhook: { url: string; event?: WebhookEvent; secret?: string }): Promise<Webhook>;
  account(token: string): Promise<AccountSummary>;
  /** Only the labels of the account, which are counted often. */
  transactions(token: string): Promise<Transaction[]>;
  configureAccount(token: string, settings: AccountSettings): Promise<AccountSummary>;
  /** Probabilities from 0 to 1 and milliseconds; what is not given is reset to its default. */
  deliveries(settings: Partial<DeliverySettings> & { seed?: number }): Promise<DeliverySettings>;
  /** Resolves to true when no label or webhook is pending. */
  idle(timeoutMs?: number): Promise<boolean>;
  requests(match?: string): Promise<RequestRecord[]>;
  reset(): Promise<void>;
}

/** A client of the control API of a Shippo simulator, in this process or another. */
export function shippoControl(url: string): ShippoControl {
  const call = controlCaller(`${url}/_control`);
  const part = encodeURIComponent;

  return {
    fault: (fault) => call('POST', '/faults', fault),
    clearFaults: () => call('DELETE', '/faults'),
    moveTrack: (number, status, substatus) => call('POST', `/track/${part(number)}`, { status, substatus }),
    resolveTransaction: (id, status, message) =>
      call('POST', `/transactions/${part(id)}/settle`, { status, ...message }),
    resolveRefund: (id, status) => call('POST', `/refunds/${part(id)}/settle`, { status }),
    registerWebhook: (token, webhook) => call('POST', `/accounts/${part(token)}/webhooks`, webhook),
    account: (token) => call('GET', `/accounts/${part(token)}`),
    transactions: (token) => call('GET', `/accounts/${part(token)}/transactions`),
    configureAccount: (token, settings) => call('POST', `/accounts/${part(token)}`, settings),
    deliveries: (settings) => call('POST', '/deliveries', settings),
    async idle(timeoutMs = 10_000) {
      const { idle } = await call<{ idle: boolean }>('GET', `/idle?timeout_ms=${timeoutMs}`);
      return idle;
    },
    requests: (match = '*') => call('GET', `/requests?match=${part(match)}`),
    reset: () => call('POST', '/reset'),
  };
}
