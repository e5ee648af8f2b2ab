import { controlCaller } from '../../call-control.ts';
import type { Fault } from '../api/faults.ts';
import type { LoggedRequest } from '../api/request-log.ts';
import type { ShopperInput } from '../checkout/shopper.ts';
import type { Outcome } from '../payments/payment-intent.ts';
import type { DeliverySettings } from '../webhooks/delivery.ts';

/** What a test or the demo can do to a running simulator, beyond Stripe's API. */
export interface StripeControl {
  /** The shopper pays on the hosted page. Returns the session. */
  pay(session: string, input: PayInput): Promise<Row>;
  /** Settle a payment that is under way: a bank debit, or a voucher. */
  settle(session: string, outcome: 'succeeded' | 'failed'): Promise<Row>;
  expire(session: string): Promise<Row>;
  /** A billing period ends. Returns the subscription. */
  renew(subscription: string, outcome: 'paid' | 'failed'): Promise<Row>;
  cancel(subscription: string): Promise<Row>;
  /** Another attempt at an open invoice. */
  payInvoice(invoice: string, outcome: 'paid' | 'failed'): Promise<Row>;
  /** The owner refunds a payment in the dashboard: what is left of it, unless an amount is given. */
  refund(charge: string, amount?: number): Promise<Row>;
  failRefund(refund: string): Promise<Row>;
  /** The shopper's bank disputes what was not lost of a payment, unless an amount is given. */
  openDispute(charge: string, reason?: string, amount?: number): Promise<Row>;
  closeDispute(dispute: string, status: 'won' | 'lost'): Promise<Row>;
  /** Send an event once more to every endpoint that is subscribed to it. */
  resend(event: string): Promise<void>;
  addFault(fault: Fault): Promise<void>;
  clearFaults(): Promise<void>;
  /** How unreliably webhooks are delivered from now on; `{}` is reliable. */
  deliveries(settings: DeliverySettings): Promise<void>;
  /** Deliver everything that is delayed; resolves when nothing is left. */
  flush(): Promise<void>;
  /** Resolves when nothing is left to deliver, or after ten seconds; true when nothing is left. */
  idle(): Promise<boolean>;
  /** Delete all accounts, faults and requests. */
  reset(): Promise<void>;
  /** The API requests so far, `match` as in a fault. */
  requests(match?: string): Promise<LoggedRequest[]>;
  account(secretKey: string): Promise<AccountReport>;
  /** Whether Stripe Tax is set up in an account from now on; it is at first. */
  setTax(secretKey: string, status: 'active' | 'pending'): Promise<void>;
  addWebhookEndpoint(secretKey: string, endpoint: FixedEndpoint): Promise<Row>;
}

/** A client of the control API of the simulator at `url`. */
export function stripeControl(url: string): StripeControl {
  const call = controlCaller(`${url}/_control`);
  const account = (secretKey: string): string => `/accounts/${encodeURIComponent(secretKey)}`;

  return {
    pay: (session, input) => call('POST', `/sessions/${session}/pay`, input),
    settle: (session, outcome) => call('POST', `/sessions/${session}/settle`, { outcome }),
    expire: (session) => call('POST', `/sessions/${session}/expire`),
    renew: (subscription, outcome) => call('POST', `/subscriptions/${subscription}/renew`, { outcome }),
    cancel: (subscription) => call('POST', `/subscriptions/${subscription}/cancel`),
    payInvoice: (invoice, outcome) => call('POST', `/invoices/${invoice}/pay`, { outcome }),
    refund: (charge, amount) => call('POST', `/charges/${charge}/refund`, { amount }),
    failRefund: (refund) => call('POST', `/refunds/${refund}/fail`),
    openDispute: (charge, reason, amount) => call('POST', `/charges/${charge}/dispute`, { reason, amount }),
    closeDispute: (dispute, status) => call('POST', `/disputes/${dispute}/close`, { status }),
    resend: (event) => call('POST', `/events/${event}/resend`),
    addFault: (fault) => call('POST', '/faults', fault),
    clearFaults: () => call('DELETE', '/faults'),
    deliveries: (settings) => call('POST', '/deliveries', settings),
    flush: () => call('POST', '/flush'),
    idle: async () => (await call<{ idle: boolean }>('GET', '/idle')).idle,
    reset: () => call('POST', '/reset'),
    requests: (match = '*') => call('GET', `/requests?match=${encodeURIComponent(match)}`),
    account: (secretKey) => call('GET', account(secretKey)),
    setTax: (secretKey, status) => call('POST', `${account(secretKey)}/tax`, { status }),
    addWebhookEndpoint: (secretKey, endpoint) => call('POST', `${account(secretKey)}/webhook-endpoints`, endpoint),
  };
}

/** What the shopper does on the hosted page; what is not given is taken from a sample shopper. */
export interface PayInput extends ShopperInput {
  readonly outcome: Outcome;
  readonly shipping_option?: number;
  readonly tax?: number;
}

/** An endpoint whose secret the store knows already. The default is every type of event. */
export interface FixedEndpoint {
  readonly url: string;
  readonly secret: string;
  readonly events?: readonly string[];
  /** The version in which it gets events; the default is the simulator's. */
  readonly api_version?: string;
}

/** One event on its way to one endpoint, with the status of every attempt (null: no response). */
export interface DeliveryReport {
  readonly event: string;
  readonly type: string;
  readonly url: string;
  readonly state: 'pending' | 'delivered' | 'dropped' | 'failed';
  readonly attempts: readonly { readonly at: number; readonly status: number | null }[];
}

/** An object as the API shows it. */
export type Row = { readonly id: string; readonly object: string } & Readonly<Record<string, unknown>>;

/** Everything in one account, each kind oldest first. */
export interface AccountReport {
  readonly id: string;
  readonly sessions: readonly Row[];
  readonly payment_intents: readonly Row[];
  readonly charges: readonly Row[];
  readonly refunds: readonly Row[];
  readonly disputes: readonly Row[];
  readonly customers: readonly Row[];
  readonly subscriptions: readonly Row[];
  readonly invoices: readonly Row[];
  readonly invoice_payments: readonly Row[];
  readonly coupons: readonly Row[];
  readonly products: readonly Row[];
  readonly prices: readonly Row[];
  readonly portal_sessions: readonly Row[];
  readonly webhook_endpoints: readonly Row[];
  readonly events: readonly Row[];
  readonly deliveries: readonly DeliveryReport[];
}
