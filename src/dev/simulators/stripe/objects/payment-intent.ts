import type { Account } from '../account.ts';
import type { Metadata } from '../wire/check-metadata.ts';
import type { ShippingDetails, StripeObject } from './stripe-object.ts';

export interface PaymentIntent extends StripeObject {
  amount: number;
  amount_received: number;
  currency: string;
  customer: string | null;
  latest_charge: string | null;
  metadata: Metadata;
  payment_method: string | null;
  status: 'requires_payment_method' | 'processing' | 'succeeded' | 'canceled';
}

export interface PaymentIntentDraft {
  readonly amount: number;
  readonly currency: string;
  readonly customer: string | null;
  readonly metadata: Metadata;
  readonly description?: string | undefined;
  readonly receiptEmail?: string | undefined;
  readonly setupFutureUsage?: string | undefined;
  readonly shipping: ShippingDetails | null;
}

/** A payment that waits for a way to pay. */
export function createPaymentIntent(account: Account, draft: PaymentIntentDraft): PaymentIntent {
  const id = account.mint('pi');
  const intent = account.paymentIntents.add({
    id,
    object: 'payment_intent',
    allowed_payment_method_types: null,
    amount: draft.amount,
    amount_capturable: 0,
    amount_received: 0,
    application: null,
    application_fee_amount: null,
    automatic_payment_methods: null,
    canceled_at: null,
    cancellation_reason: null,
    capture_method: 'automatic_async',
    client_secret: `${id}_secret_${account.mint('', 25)}`,
    confirmation_method: 'automatic',
    created: account.now,
    currency: draft.currency,
    customer: draft.customer,
    customer_account: null,
    description: draft.description ?? null,
    excluded_payment_method_types: null,
    last_payment_error: null,
    latest_charge: null,
    livemode: account.livemode,
    managed_payments: null,
    metadata: { ...draft.metadata },
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: {},
    payment_method_types: ['card', 'us_bank_account'],
    payment_record: null,
    processing: null,
    receipt_email: draft.receiptEmail ?? null,
    review: null,
    setup_future_usage: draft.setupFutureUsage ?? null,
    shipping: intentShipping(draft.shipping),
    source: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status: 'requires_payment_method',
    transfer_data: null,
    transfer_group: null,
  });
  account.record('payment_intent.created', intent);
  return intent;
}

/** Where the parcel goes, as a payment intent says it. */
export function intentShipping(shipping: ShippingDetails | null): object | null {
  return shipping && { carrier: null, tracking_number: null, phone: null, ...shipping };
}
