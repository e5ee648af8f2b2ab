import type { MetadataChange, Recurring } from './objects.ts';

export interface PriceData {
  readonly currency: string;
  readonly product?: string;
  readonly product_data?: {
    readonly name: string;
    readonly description?: string;
    readonly images?: string[];
    readonly metadata?: MetadataChange;
    readonly tax_code?: string;
    readonly unit_label?: string;
  };
  readonly unit_amount?: number;
  readonly unit_amount_decimal?: string;
  readonly tax_behavior?: string;
  readonly recurring?: { readonly interval: Recurring['interval']; readonly interval_count?: number };
}

/** The parameters of a new session that the simulator supports. */
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
  readonly customer_update?: {
    readonly address?: string;
    readonly name?: string;
    readonly shipping?: string;
  };
  readonly client_reference_id?: string;
  readonly metadata?: MetadataChange;
  readonly expires_at?: number;
  readonly locale?: string;
  readonly submit_type?: string;
  readonly automatic_tax?: { readonly enabled: boolean };
  readonly billing_address_collection?: string;
  readonly discounts?: readonly { readonly coupon?: string }[];
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
