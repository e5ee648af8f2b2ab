import type { Account } from '../account.ts';
import type { Metadata, MetadataChange } from '../wire/check-metadata.ts';
import type { Price, PriceData } from './catalogue.ts';
import type { Reduction } from './coupon.ts';
import type { Address, ShippingDetails, StripeObject } from './stripe-object.ts';

/** What a new session may be asked for, as far as the simulator acts on it. */
export interface SessionParams {
  readonly mode?: 'payment' | 'subscription' | 'setup';
  readonly ui_mode?: string;
  readonly success_url?: string;
  readonly cancel_url?: string;
  readonly return_url?: string;
  readonly line_items?: readonly LineItemParams[];
  readonly currency?: string;
  readonly customer?: string;
  readonly customer_email?: string;
  readonly customer_creation?: 'always' | 'if_required';
  readonly customer_update?: { readonly address?: string; readonly name?: string; readonly shipping?: string };
  readonly client_reference_id?: string;
  readonly metadata?: MetadataChange;
  readonly expires_at?: number;
  readonly locale?: string;
  readonly submit_type?: string;
  readonly allow_promotion_codes?: boolean;
  readonly automatic_tax?: { readonly enabled: boolean };
  readonly billing_address_collection?: string;
  readonly discounts?: readonly { readonly coupon?: string; readonly promotion_code?: string }[];
  readonly shipping_address_collection?: { readonly allowed_countries: readonly string[] };
  readonly shipping_options?: readonly ShippingOptionParams[];
  readonly phone_number_collection?: { readonly enabled: boolean };
  readonly invoice_creation?: { readonly enabled: boolean };
  readonly payment_method_collection?: string;
  readonly allowed_payment_method_types?: readonly string[];
  readonly payment_intent_data?: PaymentIntentData;
  readonly subscription_data?: SubscriptionData;
}

export interface LineItemParams {
  readonly price?: string;
  readonly price_data?: PriceData;
  readonly quantity?: number;
  readonly metadata?: MetadataChange;
  readonly adjustable_quantity?: object;
}

export interface ShippingOptionParams {
  readonly shipping_rate?: string;
  readonly shipping_rate_data?: {
    readonly display_name: string;
    readonly type?: 'fixed_amount';
    readonly fixed_amount?: { readonly amount: number; readonly currency: string };
    readonly delivery_estimate?: object;
    readonly metadata?: MetadataChange;
    readonly tax_behavior?: string;
    readonly tax_code?: string;
  };
}

export interface PaymentIntentData {
  readonly description?: string;
  readonly metadata?: MetadataChange;
  readonly receipt_email?: string;
  readonly setup_future_usage?: string;
}

export interface SubscriptionData {
  readonly description?: string;
  readonly metadata?: MetadataChange;
  readonly trial_end?: number;
  readonly trial_period_days?: number;
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
  collected_information: { readonly shipping_details: ShippingDetails | null; [field: string]: unknown } | null;
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
  shipping_cost: { readonly amount_total: number; readonly shipping_rate: string; [field: string]: unknown } | null;
  shipping_options: readonly { readonly shipping_amount: number; readonly shipping_rate: string }[];
  status: 'open' | 'complete' | 'expired';
  subscription: string | null;
  success_url: string;
  total_details: { readonly amount_discount: number; readonly amount_shipping: number; readonly amount_tax: 0 };
  url: string | null;
}

/** The parts of a session that do not change once it is made, with Stripe's defaults. */
export function sessionSkeleton(account: Account, params: SessionParams): StripeObject & { id: string } {
  const subscribing = params.mode === 'subscription';
  const id = account.mint(`cs_${account.livemode ? 'live' : 'test'}`, 58);
  return {
    id,
    object: 'checkout.session',
    adaptive_pricing: { enabled: false },
    after_expiration: null,
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    automatic_tax: {
      enabled: params.automatic_tax?.enabled ?? false,
      liability: params.automatic_tax?.enabled ? { type: 'self' } : null,
      provider: params.automatic_tax?.enabled ? 'stripe' : null,
      status: params.automatic_tax?.enabled ? 'requires_location_inputs' : null,
    },
    billing_address_collection: params.billing_address_collection ?? null,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    client_secret: null,
    collected_information: null,
    consent: null,
    consent_collection: null,
    created: account.now,
    currency_conversion: null,
    custom_fields: [],
    custom_text: { after_submit: null, shipping_address: null, submit: null, terms_of_service_acceptance: null },
    customer: params.customer ?? null,
    customer_account: null,
    customer_creation: params.customer ? null : (params.customer_creation ?? (subscribing ? 'always' : 'if_required')),
    customer_details: null,
    customer_email: params.customer_email ?? null,
    integration_identifier: null,
    invoice: null,
    invoice_creation: subscribing ? null : invoiceCreation(params),
    livemode: account.livemode,
    locale: params.locale ?? null,
    managed_payments: null,
    origin_context: null,
    payment_intent: null,
    payment_link: null,
    payment_method_collection: subscribing ? (params.payment_method_collection ?? 'always') : null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card', 'us_bank_account'],
    permissions: null,
    phone_number_collection: { enabled: params.phone_number_collection?.enabled ?? false },
    recovered_from: null,
    saved_payment_method_options: null,
    setup_intent: null,
    shipping_address_collection: params.shipping_address_collection ?? null,
    status: 'open',
    submit_type: params.submit_type ?? null,
    subscription: null,
    ui_mode: 'hosted_page',
    url: `${account.world.url}/pay/${id}`,
    wallet_options: null,
  };
}

function invoiceCreation({ invoice_creation }: SessionParams): object {
  return {
    enabled: invoice_creation?.enabled ?? false,
    invoice_data: {
      account_tax_ids: null,
      custom_fields: null,
      description: null,
      footer: null,
      issuer: null,
      metadata: {},
      rendering_options: null,
    },
  };
}
