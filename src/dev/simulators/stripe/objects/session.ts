import type { Metadata } from '../wire/check-metadata.ts';
import type { Price } from './catalogue.ts';
import type { Reduction } from './coupon.ts';
import type { SessionParams } from './session-params.ts';
import type { Address, ShippingDetails, StripeObject } from './stripe-object.ts';

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

/** What Checkout remembers of a session and does not put into the object. */
export interface Cart {
  readonly params: SessionParams;
  readonly lines: readonly LineItem[];
  readonly reduction: Reduction | null;
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
    readonly amount_tax: 0;
  };
  url: string | null;
}
