import type { Fault } from './faults.ts';
import type { AccountSummary } from './summary.ts';
import type { Refund, RefundStatus, Track, TrackingStatusName, Transaction, Webhook, WebhookEvent } from './wire.ts';
import type { DeliverySettings, RequestRecord } from './world.ts';

export type { AccountSummary, Fault };

export interface AccountSettings {
  insufficient_funds?: boolean;
  auth_broken?: boolean;
  /** Exactly these carriers, all of them active. */
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
  /** Of all that only the labels, which are counted often. */
  transactions(token: string): Promise<Transaction[]>;
  configureAccount(token: string, settings: AccountSettings): Promise<AccountSummary>;
  /** Chances from 0 to 1 and milliseconds; what is left out goes back to normal. */
  deliveries(settings: Partial<DeliverySettings> & { seed?: number }): Promise<DeliverySettings>;
  /** Resolves to true once no label settles and no webhook is on its way any more. */
  idle(timeoutMs?: number): Promise<boolean>;
  requests(match?: string): Promise<RequestRecord[]>;
  reset(): Promise<void>;
}

/** Tells a Shippo simulator, in this process or another, how to behave. */
export function shippoControl(url: string): ShippoControl {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    const answer = await fetch(`${url}/_control${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was answered ${answer.status}: ${text}`);
    return JSON.parse(text === '' ? 'null' : text);
  }
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
