import type { Outcome } from '../billing/move-money.ts';
import type { ShopperInput } from '../checkout/shopper-details.ts';

export type { DeliverySettings } from '../events/delivery.ts';
export type { Fault } from '../wire/faults.ts';
export type { LoggedRequest } from '../wire/request-log.ts';

/** What the shopper does on the hosted page; what is not told is filled in with a sample shopper. */
export interface PayInput extends ShopperInput {
  readonly outcome: Outcome;
  readonly shipping_option?: number;
}

/** An endpoint whose secret the store knows already. Every type of event, unless told. */
export interface FixedEndpoint {
  readonly url: string;
  readonly secret: string;
  readonly events?: readonly string[];
}

/** One event on its way to one endpoint, with the status of every attempt (null: no answer). */
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
  readonly promotion_codes: readonly Row[];
  readonly products: readonly Row[];
  readonly prices: readonly Row[];
  readonly portal_sessions: readonly Row[];
  readonly webhook_endpoints: readonly Row[];
  readonly events: readonly Row[];
  readonly deliveries: readonly DeliveryReport[];
}
