import type { Random } from '../../random.ts';
import { IdempotencyKeys } from './idempotency-keys.ts';
import type {
  Charge,
  Coupon,
  Customer,
  Discount,
  Invoice,
  InvoiceLine,
  InvoicePayment,
  LineItem,
  PaymentIntent,
  Period,
  Price,
  Product,
  Session,
  ShippingRate,
  StripeEvent,
  StripeObject,
  Subscription,
  SubscriptionItem,
  WebhookEndpoint,
} from './objects.ts';
import type { SessionParams } from './session-params.ts';
import { Table } from './table.ts';

export const apiVersion = '2026-10-28.endive';

/** Which request an event came from. */
export interface RequestReference {
  readonly id: string | null;
  readonly idempotency_key: string | null;
}

/** What an account needs of the simulator that it is in. */
export interface AccountHost {
  /** Where the hosted pages are. */
  readonly url: string;
  readonly random: Random;
  now(): number;
  /** Receives each event of the account, to send it to the endpoints. */
  dispatch(account: Account, event: StripeEvent): void;
}

/** One merchant, which is one secret key: all of its objects, and how they change. */
export class Account {
  readonly host: AccountHost;
  readonly key: string;
  readonly id: string;
  readonly livemode: boolean;

  /** Whether Stripe Tax is set up. */
  taxStatus: 'active' | 'pending' = 'active';

  readonly customers = new Table<Customer>('customer');
  readonly products = new Table<Product>('product');
  readonly prices = new Table<Price>('price');
  readonly coupons = new Table<Coupon>('coupon');
  readonly discounts = new Table<Discount>('discount');
  readonly shippingRates = new Table<ShippingRate>('shipping_rate');
  readonly sessions = new Table<Session>('checkout.session');
  readonly paymentIntents = new Table<PaymentIntent>('payment_intent');
  readonly charges = new Table<Charge>('charge');
  readonly refunds = new Table<StripeObject>('refund');
  readonly disputes = new Table<StripeObject>('dispute');
  readonly subscriptions = new Table<Subscription>('subscription');
  readonly invoices = new Table<Invoice>('invoice');
  readonly invoicePayments = new Table<InvoicePayment>('invoice_payment');
  readonly portalSessions = new Table<StripeObject>('billing_portal.session');
  readonly webhookEndpoints = new Table<WebhookEndpoint>('webhook endpoint');
  readonly events = new Table<StripeEvent>('event');

  readonly carts = new Map<string, Cart>();
  readonly invoiceLines = new Map<string, readonly InvoiceLine[]>();
  /** What the next invoice of a subscription carries besides its period, by subscription. */
  readonly pendingProrations = new Map<string, InvoiceLineDraft[]>();
  readonly openSessions = new Set<Session>();
  readonly idempotencyKeys = new IdempotencyKeys();
  /** The products that a coupon is limited to. Stripe shows them only when they are expanded. */
  readonly couponProducts = new WeakMap<Coupon, readonly string[]>();
  /** How an invoice is being paid, or was; absent until the first attempt. */
  readonly paymentsOfInvoices = new WeakMap<Invoice, InvoicePayment>();
  /** The signing secret of each endpoint: shown once, in the response that creates it. */
  readonly endpointSecrets = new WeakMap<WebhookEndpoint, string>();

  /** The API request being served at this moment, which its events name. */
  request: RequestReference | null = null;

  constructor(host: AccountHost, key: string) {
    this.host = host;
    this.key = key;
    this.livemode = key.includes('_live_');
    this.id = this.mint('acct', 16);
  }

  /** Epoch seconds, as everywhere in Stripe. */
  get now(): number {
    return Math.floor(this.host.now() / 1000);
  }

  mint(prefix: string, length = 24): string {
    const token = this.host.random.token(length);
    return prefix === '' ? token : `${prefix}_${token}`;
  }

  /** Change an object and record the event, with the values before. */
  change<Row extends StripeObject>(row: Row, patch: Partial<Row>, type: string): Row {
    const before = Object.fromEntries(
      Object.keys(patch)
        .filter((field) => JSON.stringify(row[field]) !== JSON.stringify(patch[field]))
        .map((field) => [field, row[field]]),
    );
    Object.assign(row, patch);
    this.record(type, row, type.endsWith('.updated') ? before : undefined);
    return row;
  }

  /** Record an event with the object as it is now, and dispatch it to the webhook endpoints. */
  record(type: string, object: StripeObject, previous?: object): StripeEvent {
    const event = this.events.add({
      id: this.mint('evt'),
      object: 'event',
      api_version: apiVersion,
      created: this.now,
      data: { object: snapshot(object), ...(previous && { previous_attributes: snapshot(previous) }) },
      livemode: this.livemode,
      pending_webhooks: 0,
      request: this.request ?? { id: null, idempotency_key: null },
      type,
    });
    this.host.dispatch(this, event);
    return event;
  }

  /** Any object by its id, for `expand`. */
  find(id: string): StripeObject | undefined {
    const table = this.tables[id.slice(0, id.indexOf('_'))];
    return table?.get(id) ?? this.coupons.get(id);
  }

  /** The tables by the prefix of their ids. */
  readonly tables: Readonly<Record<string, Table<StripeObject>>> = {
    cus: this.customers,
    prod: this.products,
    price: this.prices,
    di: this.discounts,
    shr: this.shippingRates,
    cs: this.sessions,
    pi: this.paymentIntents,
    ch: this.charges,
    py: this.charges,
    re: this.refunds,
    dp: this.disputes,
    sub: this.subscriptions,
    in: this.invoices,
    inpay: this.invoicePayments,
    bps: this.portalSessions,
    we: this.webhookEndpoints,
    evt: this.events,
  };
}

function snapshot<Value extends object>(value: Value): Value {
  return JSON.parse(JSON.stringify(value));
}

/** What Checkout stores of a session beyond the object. */
export interface Cart {
  readonly params: SessionParams;
  readonly lines: readonly LineItem[];
  readonly coupon: Coupon | null;
}

/** One line to be invoiced; without an item it is a one-time extra on the first invoice. */
export interface InvoiceLineDraft {
  readonly item: SubscriptionItem | null;
  readonly price: Price;
  readonly quantity: number;
  readonly amount: number;
  readonly description: string;
  readonly period: Period;
  readonly isProration?: boolean;
}
