import type {
  InvoiceSnapshot,
  OwnMetadata,
  PaymentSnapshot,
  SessionSnapshot,
  SubscriptionSnapshot,
} from './payment-snapshots.ts';

/** A store's account at the payment provider, opened for one use. Never logged, never stored in clear. */
export interface PaymentAccount {
  /** The store of the account: failures of one store's account do not affect another's. */
  readonly tenantId: string;
  readonly secretKey: string;
  /** The deadline of all calls, as of `performance.now()`, where a caller waits. Otherwise each call has its own. */
  readonly endsAt?: number;
}

/** One line of a session: a product, or (`productId: 'shipping'`) the shipping cost. */
export interface SessionLine {
  readonly productId: string;
  /** Only where the request names a variant: the caller maps the provider's lines back to its own by this. */
  readonly variantId: string | null;
  readonly name: string;
  readonly imageUrl: string | null;
  readonly quantity: number;
  readonly unitPriceCents: number;
  /** How often it is charged; `null` once. A quarter is three months. */
  readonly interval: 'month' | 'quarter' | null;
}

/** Everything that a session is created from. It is stored with its order: the same request gives the same session. */
export interface SessionRequest {
  readonly tenantId: string;
  readonly orderId: string;
  readonly environment: string;
  readonly mode: 'payment' | 'subscription';
  readonly currency: string;
  readonly lines: readonly SessionLine[];
  /** Promotion and gift card together; they do not reduce what shipping costs. */
  readonly discountCents: number;
  readonly discountName: string | null;
  /** Destinations and shipping options; `null` when nothing is shipped. Without options, shipping is a line. */
  readonly shipping: {
    readonly countries: readonly string[];
    readonly options: readonly { readonly name: string; readonly amountCents: number }[];
  } | null;
  /** The known customer; otherwise `customerEmail` prefills the payment page. */
  readonly customerId: string | null;
  readonly customerEmail: string | null;
  readonly returnUrl: string;
  readonly cancelUrl: string;
  /** Epoch seconds; the provider accepts 30 minutes to 24 hours from now. */
  readonly expiresAt: number;
  readonly automaticTax: boolean;
}

export interface CreatedSession {
  readonly sessionId: string;
  readonly url: string;
}

/** The kind of an event's object. `payment`: a payment, charge, refund or dispute, which `fetchPayment` all accepts. */
export type PaymentSubject = 'session' | 'subscription' | 'invoice' | 'payment';

/** A notification that something changed. The current state has to be fetched. */
export interface PaymentEvent {
  readonly eventId: string;
  readonly type: string;
  /** `null`: the event type is not handled. */
  readonly subject: PaymentSubject | null;
  readonly objectId: string;
  /** Our metadata on the object, where the event contains it; `null`: the object has to be fetched. */
  readonly metadata: OwnMetadata | null;
  readonly createdAt: Date;
}

/** A time range by the provider's clock; `next` is the cursor of the page before. */
export interface PageRequest {
  readonly from: Date;
  readonly to: Date;
  readonly next?: string;
}

/** How money is returned to the shopper: by the store, or by a dispute of the bank. */
export type ReversalKind = 'refund' | 'dispute';

/** Where the provider delivers events. Its signing secret is returned only when it is created. */
export interface EventEndpoint {
  readonly endpointId: string;
  readonly url: string;
  /** The name that we gave it when we created it; `null` on one that the owner created. */
  readonly ownName: string | null;
  readonly isEnabled: boolean;
  /** The handled event types that it is not subscribed to. */
  readonly lacks: readonly string[];
  readonly createdAt: Date;
}

export interface SubscriptionChange {
  readonly action: 'pause' | 'resume' | 'cancel' | 'cancel_at_period_end' | 'keep' | 'change_interval';
  readonly interval?: 'month' | 'quarter';
}

/** The code of an `away` failure whose outcome is certain after all: the request was never sent. */
export const notSent = 'not_sent';

/**
 * The code of a failure that the provider returns again for a day for this key, whether it acted or not: one that it
 * stored, or because its first request had other parameters.
 */
export const storedFailure = 'stored_failure';

/**
 * The payment provider. Every method throws ProviderError: `denied` when the key does not open the account, `missing`
 * for an object that does not exist, `refused` when a retry would fail again, `busy` when nothing was done and the
 * provider says when to retry, `away` when the outcome is unknown.
 */
export interface PaymentGateway {
  /** The permissions that the key lacks, of those without which something cannot be read. A restricted key may have few. */
  checkAccount(account: PaymentAccount, signal?: AbortSignal): Promise<readonly string[]>;
  /** Whether the account is set up to calculate tax. */
  isTaxActive(account: PaymentAccount, signal?: AbortSignal): Promise<boolean>;
  /** The provider's time, to the second; undefined where it does not return it. */
  readClock(account: PaymentAccount, signal?: AbortSignal): Promise<Date | undefined>;

  /** Open a session. With the same key and request it returns the same session again. */
  createSession(
    account: PaymentAccount,
    request: SessionRequest,
    key: string,
    signal?: AbortSignal,
  ): Promise<CreatedSession>;
  fetchSession(account: PaymentAccount, sessionId: string, signal?: AbortSignal): Promise<SessionSnapshot>;
  /** Search the sessions created since then for the one of this order, after a creation whose outcome is unknown. */
  findSession(
    account: PaymentAccount,
    orderId: string,
    since: Date,
    signal?: AbortSignal,
  ): Promise<SessionSnapshot | undefined>;
  /** Remove the discount that was made for the session of this order. It is no error if there is none. */
  removeDiscount(account: PaymentAccount, orderId: string, signal?: AbortSignal): Promise<void>;
  /** Close an open session. Returns its state after that: it may have been completed before. */
  expireSession(account: PaymentAccount, sessionId: string, signal?: AbortSignal): Promise<SessionSnapshot>;
  /** Sessions created in a time range, newest first. `next` is null on the last page. */
  listSessions(
    account: PaymentAccount,
    range: PageRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly sessions: readonly SessionSnapshot[]; readonly next: string | null }>;

  /**
   * The provider's customer of this email (lower case), created if there is none. `enteredEmail` is the email as the
   * shopper entered it, because the provider compares case-sensitively. A customer that was created for another store
   * of the same provider account is not used, nor one with subscriptions in another currency than this.
   */
  findOrCreateCustomer(
    account: PaymentAccount,
    customer: { readonly email: string; readonly enteredEmail: string; readonly currency: string },
    key: string,
    signal?: AbortSignal,
  ): Promise<string>;

  fetchSubscription(
    account: PaymentAccount,
    subscriptionId: string,
    signal?: AbortSignal,
  ): Promise<SubscriptionSnapshot>;
  /** Change a subscription. It is no error if it is so already. */
  changeSubscription(
    account: PaymentAccount,
    subscriptionId: string,
    change: SubscriptionChange,
    key: string,
    signal?: AbortSignal,
  ): Promise<void>;
  /**
   * Paid invoices created in a time range, newest first. A long invoice has not all its lines, but one if it has any.
   */
  listPaidInvoices(
    account: PaymentAccount,
    range: PageRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly invoices: readonly InvoiceSnapshot[]; readonly next: string | null }>;
  fetchInvoice(account: PaymentAccount, invoiceId: string, signal?: AbortSignal): Promise<InvoiceSnapshot>;
  /** Payments that were refunded or disputed in a time range, as references that `fetchPayment` accepts. */
  listReversals(
    account: PaymentAccount,
    kind: ReversalKind,
    range: PageRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly references: readonly string[]; readonly next: string | null }>;
  fetchPayment(account: PaymentAccount, reference: string, signal?: AbortSignal): Promise<PaymentSnapshot>;
  /** Refund a part of a payment, once for each `refundId`, however late it is repeated. */
  refundPayment(
    account: PaymentAccount,
    refund: {
      readonly paymentId: string;
      readonly amountCents: number;
      readonly refundId: string;
      /** The return that it belongs to. */
      readonly returnId?: string | null;
    },
    key: string,
    signal?: AbortSignal,
  ): Promise<void>;
  /** The URL of a page where customers manage their subscriptions. It is valid once, for a short time. */
  openBillingPortal(
    account: PaymentAccount,
    customerId: string,
    returnUrl: string,
    signal?: AbortSignal,
  ): Promise<string>;

  /** Create an endpoint for events. With the same key within a day it returns the same endpoint and secret again. */
  createEndpoint(
    account: PaymentAccount,
    endpoint: { readonly url: string; readonly ownName: string },
    key: string,
    signal?: AbortSignal,
  ): Promise<{ readonly endpointId: string; readonly secret: string }>;
  listEndpoints(account: PaymentAccount, signal?: AbortSignal): Promise<readonly EventEndpoint[]>;
  /** Stop deliveries to an endpoint. It is no error if it does not exist. */
  endEndpoint(
    account: PaymentAccount,
    endpointId: string,
    how: 'disable' | 'delete',
    signal?: AbortSignal,
  ): Promise<void>;

  /**
   * Verify and parse a delivery.
   * @returns `'forged'` when none of these secrets signed it lately, `'unreadable'` when the body is not an event
   */
  verifyEvent(
    rawBody: Buffer,
    signature: string,
    secrets: readonly string[],
    now: Date,
  ): PaymentEvent | 'forged' | 'unreadable';
  /** Events of the handled types in a time range, newest first. `next` is null on the last page. */
  listEvents(
    account: PaymentAccount,
    range: PageRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly events: readonly PaymentEvent[]; readonly next: string | null }>;
}
