import type { Price, Product } from './objects/catalogue.ts';
import type { Charge } from './objects/charge.ts';
import type { Coupon, Discount, PromotionCode } from './objects/coupon.ts';
import type { Customer } from './objects/customer.ts';
import type { Invoice, InvoicePayment } from './objects/invoice.ts';
import type { InvoiceLine, InvoiceLineDraft } from './objects/invoice-line.ts';
import type { PaymentIntent } from './objects/payment-intent.ts';
import type { Cart, Session, ShippingRate } from './objects/session.ts';
import type { StripeObject } from './objects/stripe-object.ts';
import type { Subscription } from './objects/subscription.ts';
import type { StripeEvent, WebhookEndpoint } from './objects/webhook-endpoint.ts';
import { IdempotencyKeys } from './wire/idempotency.ts';
import { Table } from './wire/table.ts';
import type { SimulatorState } from './world.ts';

export const apiVersion = '2026-10-28.endive';

/** Which request an event came from. */
export interface RequestReference {
  readonly id: string | null;
  readonly idempotency_key: string | null;
}

/** One merchant, which is one secret key: everything that it has, and how it changes. */
export class Account {
  readonly world: SimulatorState;
  readonly key: string;
  readonly id: string;
  readonly livemode: boolean;
  readonly created: number;

  readonly customers = new Table<Customer>('customer');
  readonly products = new Table<Product>('product');
  readonly prices = new Table<Price>('price');
  readonly coupons = new Table<Coupon>('coupon');
  readonly promotionCodes = new Table<PromotionCode>('promotion code');
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

  /** The API request being served at this moment, which its events name. */
  request: RequestReference | null = null;

  constructor(world: SimulatorState, key: string) {
    this.world = world;
    this.key = key;
    this.livemode = key.includes('_live_');
    this.id = this.mint('acct', 16);
    this.created = this.now;
  }

  /** Epoch seconds, as everywhere in Stripe. */
  get now(): number {
    return Math.floor(this.world.now() / 1000);
  }

  mint(prefix: string, length = 24): string {
    const token = this.world.random.token(length);
    return prefix === '' ? token : `${prefix}_${token}`;
  }

  /** Change an object and tell of it, with what it was before. */
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

  /** Write an event with the object as it is now, and hand it to the post. */
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
    this.world.postOffice.post(this, event);
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
    promo: this.promotionCodes,
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
