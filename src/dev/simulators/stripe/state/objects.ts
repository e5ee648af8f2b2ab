/**
 * Any object of Stripe's API. The interfaces below name the fields that the simulator itself reads
 * or changes; the others are there because the API has them.
 */
export interface StripeObject {
  readonly id: string;
  readonly object: string;
  [field: string]: unknown;
}

export type Metadata = Record<string, string>;

/** In a request, null unsets a key. */
export type MetadataChange = Record<string, string | null>;

export interface ListObject<Row> {
  readonly object: 'list';
  readonly data: readonly Row[];
  readonly has_more: boolean;
  readonly url: string;
}

/** The envelope of every list. */
export function listObject<Row>(url: string, page: { data: readonly Row[]; has_more: boolean }): ListObject<Row> {
  return { object: 'list', data: page.data, has_more: page.has_more, url };
}

export interface Address {
  readonly city: string | null;
  readonly country: string | null;
  readonly line1: string | null;
  readonly line2: string | null;
  readonly postal_code: string | null;
  readonly state: string | null;
}

export interface AddressParams {
  readonly city?: string;
  readonly country?: string;
  readonly line1?: string;
  readonly line2?: string;
  readonly postal_code?: string;
  readonly state?: string;
}

/** An address as Stripe returns it: every field, null where there is no value. */
export function addressFrom(params: AddressParams): Address {
  const { city, country, line1, line2, postal_code, state } = params;
  return {
    city: city || null,
    country: country || null,
    line1: line1 || null,
    line2: line2 || null,
    postal_code: postal_code || null,
    state: state || null,
  };
}

/** Name and address of the recipient. */
export interface ShippingDetails {
  readonly name: string;
  readonly address: Address;
  readonly phone?: string | null;
}

export interface Customer extends StripeObject {
  /** What the customer owes; negative is credit. */
  balance: number;
  email: string | null;
  name: string | null;
  phone: string | null;
  currency: string | null;
  metadata: Metadata;
  deleted?: true;
}

export interface Recurring {
  readonly interval: 'day' | 'week' | 'month' | 'year';
  readonly interval_count: number;
  readonly meter?: null;
  readonly trial_period_days?: null;
  readonly usage_type?: 'licensed';
}

export interface Product extends StripeObject {
  name: string;
  description: string | null;
  images: readonly string[];
  metadata: Metadata;
}

export interface Price extends StripeObject {
  currency: string;
  product: string;
  /** Whole minor units; null when the price has a fraction of one. */
  unit_amount: number | null;
  unit_amount_decimal: string;
  recurring: Recurring | null;
}

export interface Coupon extends StripeObject {
  amount_off: number | null;
  percent_off: number | null;
  currency: string | null;
  duration: 'once' | 'forever' | 'repeating';
  duration_in_months: number | null;
  max_redemptions: number | null;
  redeem_by: number | null;
  times_redeemed: number;
  valid: boolean;
  name: string | null;
  metadata: Metadata;
}

export interface Discount extends StripeObject {
  source: { readonly type: 'coupon'; readonly coupon: string };
  end: number | null;
}

export interface PaymentIntent extends StripeObject {
  amount: number;
  amount_received: number;
  currency: string;
  customer: string | null;
  latest_charge: string | null;
  metadata: Metadata;
  payment_method: string | null;
  status: 'requires_payment_method' | 'requires_action' | 'processing' | 'succeeded' | 'canceled';
}

export interface Charge extends StripeObject {
  amount: number;
  amount_refunded: number;
  currency: string;
  customer: string | null;
  disputed: boolean;
  paid: boolean;
  payment_intent: string | null;
  refunded: boolean;
  status: 'succeeded' | 'pending' | 'failed';
}

export interface LineItem extends StripeObject {
  amount_discount: number;
  amount_subtotal: number;
  amount_total: number;
  currency: string;
  description: string;
  price: Price;
  quantity: number;
  metadata: Metadata;
}

export interface ShippingRate extends StripeObject {
  display_name: string;
  fixed_amount: { readonly amount: number; readonly currency: string };
  metadata: Metadata;
}

export interface CustomerDetails {
  readonly address: Address | null;
  readonly email: string | null;
  readonly name: string | null;
  readonly phone: string | null;
  readonly tax_exempt: 'none';
  readonly tax_ids: readonly object[];
  readonly business_name: null;
  readonly individual_name: null;
}

export interface Session extends StripeObject {
  amount_subtotal: number;
  amount_total: number;
  cancel_url: string | null;
  collected_information: {
    readonly shipping_details: ShippingDetails | null;
    [field: string]: unknown;
  } | null;
  currency: string;
  customer: string | null;
  customer_details: CustomerDetails | null;
  customer_email: string | null;
  expires_at: number;
  invoice: string | null;
  metadata: Metadata;
  mode: 'payment' | 'subscription';
  payment_intent: string | null;
  payment_status: 'paid' | 'unpaid' | 'no_payment_required';
  shipping_cost: {
    readonly amount_total: number;
    readonly shipping_rate: string;
    [field: string]: unknown;
  } | null;
  shipping_options: readonly { readonly shipping_amount: number; readonly shipping_rate: string }[];
  status: 'open' | 'complete' | 'expired';
  subscription: string | null;
  success_url: string;
  total_details: {
    readonly amount_discount: number;
    readonly amount_shipping: number;
    readonly amount_tax: number;
  };
  url: string | null;
}

export interface SubscriptionItem extends StripeObject {
  current_period_start: number;
  current_period_end: number;
  metadata: Metadata;
  price: Price;
  quantity: number;
  subscription: string;
}

export interface Subscription extends StripeObject {
  billing_cycle_anchor: number;
  cancel_at: number | null;
  cancel_at_period_end: boolean;
  canceled_at: number | null;
  currency: string;
  customer: string;
  discounts: string[];
  ended_at: number | null;
  items: ListObject<SubscriptionItem>;
  latest_invoice: string | null;
  metadata: Metadata;
  status: 'trialing' | 'active' | 'past_due' | 'paused' | 'canceled';
  trial_end: number | null;
}

export interface Period {
  readonly start: number;
  readonly end: number;
}

export interface Invoice extends StripeObject {
  amount_due: number;
  amount_paid: number;
  amount_remaining: number;
  attempt_count: number;
  billing_reason: BillingReason;
  currency: string;
  customer: string;
  lines: ListObject<InvoiceLine>;
  next_payment_attempt: number | null;
  parent: {
    subscription_details: { subscription: string; metadata: Metadata } | null;
    [field: string]: unknown;
  };
  status: 'draft' | 'open' | 'paid';
  status_transitions: InvoiceTimes;
  total: number;
}

export type BillingReason = 'subscription_create' | 'subscription_cycle' | 'subscription_update';

export interface InvoiceTimes {
  readonly finalized_at: number | null;
  readonly marked_uncollectible_at: null;
  readonly paid_at: number | null;
  readonly voided_at: null;
}

export interface InvoicePayment extends StripeObject {
  amount_paid: number | null;
  invoice: string;
  payment: { readonly type: 'payment_intent'; readonly payment_intent: string };
  status: 'open' | 'paid' | 'canceled';
}

export interface InvoiceLine extends StripeObject {
  amount: number;
  quantity: number;
}

export interface WebhookEndpoint extends StripeObject {
  readonly api_version: string;
  enabled_events: readonly string[];
  status: 'enabled' | 'disabled';
  url: string;
  metadata: Metadata;
}

export interface StripeEvent extends StripeObject {
  created: number;
  data: { readonly object: StripeObject; readonly previous_attributes?: object };
  pending_webhooks: number;
  type: string;
}
