import type {
  InvoiceSnapshot,
  OwnMetadata,
  PaymentSnapshot,
  SessionSnapshot,
  SubscriptionSnapshot,
} from './payment-snapshots.ts';

/** A store's account at the payment provider, opened for one use. Never logged, never stored in clear. */
export interface PaymentAccount {
  /** Whose account it is: trouble with one store's account is not another's. */
  readonly tenantId: string;
  readonly secretKey: string;
  /** By when, as of `performance.now()`, all that is asked with it is answered: somebody waits. Else each has its time. */
  readonly endsAt?: number;
}

/** One line of a session: a thing of the catalogue, or (`productId: 'shipping'`) what its shipping costs. */
export interface SessionLine {
  readonly productId: string;
  /** Only where the request named a variant: a caller maps provider lines back to its own by this. */
  readonly variantId: string | null;
  readonly name: string;
  readonly imageUrl: string | null;
  readonly quantity: number;
  readonly unitPriceCents: number;
  /** How often it is charged; `null` once. A quarter is three months. */
  readonly interval: 'month' | 'quarter' | null;
}

/** Everything that makes a session, frozen with its order: the same request asked again is the same session. */
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
  /** Where the parcel may go and what that costs; `null` when nothing is shipped. No options: they are lines. */
  readonly shipping: {
    readonly countries: readonly string[];
    readonly options: readonly { readonly name: string; readonly amountCents: number }[];
  } | null;
  /** The known customer; else `customerEmail` is only filled in for the shopper. */
  readonly customerId: string | null;
  readonly customerEmail: string | null;
  readonly returnUrl: string;
  readonly cancelUrl: string;
  /** Epoch seconds; the provider wants between 30 minutes and 24 hours from now. */
  readonly expiresAt: number;
  readonly automaticTax: boolean;
}

export interface CreatedSession {
  readonly sessionId: string;
  readonly url: string;
}

/** What an event is about. `payment` stands for a payment, charge, refund or dispute: `fetchPayment` takes any. */
export type PaymentSubject = 'session' | 'subscription' | 'invoice' | 'payment';

/** A hint that something happened. What is so now has to be asked for. */
export interface PaymentEvent {
  readonly eventId: string;
  readonly type: string;
  /** `null`: nothing that the shop acts on. */
  readonly subject: PaymentSubject | null;
  readonly objectId: string;
  /** The marks on the object, where the event tells them; `null`: it has to be asked for. */
  readonly metadata: OwnMetadata | null;
  readonly createdAt: Date;
}

/** A stretch of the provider's time; `next` of the page before goes on in it. */
export interface PageRequest {
  readonly from: Date;
  readonly to: Date;
  readonly next?: string;
}

/** How money goes back: given, or fought for. */
export type ReversalKind = 'refund' | 'dispute';

/** Where the provider delivers events. It tells the signing secret once, to whoever makes it. */
export interface EventEndpoint {
  readonly endpointId: string;
  readonly url: string;
  /** What we wrote on it when we made it; `null` on one that is not ours. */
  readonly ownName: string | null;
  readonly isEnabled: boolean;
  /** The events that the shop acts on and that it is not told of. */
  readonly lacks: readonly string[];
}

export interface SubscriptionChange {
  readonly action: 'pause' | 'resume' | 'cancel' | 'cancel_at_period_end' | 'keep' | 'change_interval';
  readonly interval?: 'month' | 'quarter';
}

/** The code of an `away` that is certain after all: what was asked for was never sent. */
export const notSent = 'not_sent';

/**
 * The payment provider, in the shop's words. Everything throws ProviderError, judged once: `denied` when the key does
 * not open the account, `missing` for an object that is not there, `refused` when asking again changes nothing,
 * `busy` when nothing was done and they say when to come back, `away` when the outcome is unknown.
 */
export interface PaymentGateway {
  /** Whether the credentials open the account. */
  checkAccount(account: PaymentAccount, signal?: AbortSignal): Promise<void>;
  /** What time it is at the provider, to the second; undefined where it does not say. */
  readClock(account: PaymentAccount, signal?: AbortSignal): Promise<Date | undefined>;

  /** Open a session. Asked again with the same key and request, it answers the same session. */
  createSession(
    account: PaymentAccount,
    request: SessionRequest,
    key: string,
    signal?: AbortSignal,
  ): Promise<CreatedSession>;
  fetchSession(account: PaymentAccount, sessionId: string, signal?: AbortSignal): Promise<SessionSnapshot>;
  /** Look among the sessions made since then for the one of this order: for a creation whose outcome is unknown. */
  findSession(
    account: PaymentAccount,
    orderId: string,
    since: Date,
    signal?: AbortSignal,
  ): Promise<SessionSnapshot | undefined>;
  /** Take away the discount that was made for the session of this order. One that is gone, or never was, is no error. */
  removeDiscount(account: PaymentAccount, orderId: string, signal?: AbortSignal): Promise<void>;
  /** Close an open session. Answers how it stands then: it may have been completed before. */
  expireSession(account: PaymentAccount, sessionId: string, signal?: AbortSignal): Promise<SessionSnapshot>;
  /** Sessions made in a stretch of time, newest first. `next` is null on the last page. */
  listSessions(
    account: PaymentAccount,
    range: PageRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly sessions: readonly SessionSnapshot[]; readonly next: string | null }>;

  /**
   * The provider's customer of this address (lower case), made if there is none. `enteredEmail` is the address as somebody
   * wrote it: the provider tells upper case from lower, and may know them by that. A customer that was made for another
   * store of the same provider account is not this store's.
   */
  findOrCreateCustomer(
    account: PaymentAccount,
    customer: { readonly email: string; readonly enteredEmail: string },
    key: string,
    signal?: AbortSignal,
  ): Promise<string>;

  fetchSubscription(
    account: PaymentAccount,
    subscriptionId: string,
    signal?: AbortSignal,
  ): Promise<SubscriptionSnapshot>;
  changeSubscription(
    account: PaymentAccount,
    subscriptionId: string,
    change: SubscriptionChange,
    key: string,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Paid invoices that were made in a stretch of time, newest first; of a long one not every line, but one if it has any. */
  listPaidInvoices(
    account: PaymentAccount,
    range: PageRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly invoices: readonly InvoiceSnapshot[]; readonly next: string | null }>;
  fetchInvoice(account: PaymentAccount, invoiceId: string, signal?: AbortSignal): Promise<InvoiceSnapshot>;
  /** Payments, by a reference that `fetchPayment` takes, of which something went back or was disputed in a stretch of time. */
  listReversals(
    account: PaymentAccount,
    kind: ReversalKind,
    range: PageRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly references: readonly string[]; readonly next: string | null }>;
  fetchPayment(account: PaymentAccount, reference: string, signal?: AbortSignal): Promise<PaymentSnapshot>;
  /** Give money of a payment back, once for each `refundId`, however late it is asked again. */
  refundPayment(
    account: PaymentAccount,
    refund: { readonly paymentId: string; readonly amountCents: number; readonly refundId: string },
    key: string,
    signal?: AbortSignal,
  ): Promise<void>;
  /** The address of a page where customers manage what they pay. It opens once, soon. */
  openBillingPortal(
    account: PaymentAccount,
    customerId: string,
    returnUrl: string,
    signal?: AbortSignal,
  ): Promise<string>;

  /** Let events be delivered to this address. Asked again with the same key within a day, it answers the same secret. */
  createEndpoint(
    account: PaymentAccount,
    endpoint: { readonly url: string; readonly ownName: string },
    key: string,
    signal?: AbortSignal,
  ): Promise<{ readonly endpointId: string; readonly secret: string }>;
  listEndpoints(account: PaymentAccount, signal?: AbortSignal): Promise<readonly EventEndpoint[]>;
  /** Deliver nothing more there. One that is gone is no error. */
  endEndpoint(
    account: PaymentAccount,
    endpointId: string,
    how: 'disable' | 'delete',
    signal?: AbortSignal,
  ): Promise<void>;

  /**
   * What a delivery says, if one of these secrets signed it lately.
   * `'forged'` when none did, `'unreadable'` when one did and it is no event of theirs.
   */
  verifyEvent(
    rawBody: Buffer,
    signature: string,
    secrets: readonly string[],
    now: Date,
  ): PaymentEvent | 'forged' | 'unreadable';
  /** Events of a stretch of time that the shop acts on, newest first. `next` is null on the last page. */
  listEvents(
    account: PaymentAccount,
    range: PageRequest,
    signal?: AbortSignal,
  ): Promise<{ readonly events: readonly PaymentEvent[]; readonly next: string | null }>;
}
