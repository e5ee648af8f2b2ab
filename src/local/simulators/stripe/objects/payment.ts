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
    shipping: draft.shipping && { carrier: null, tracking_number: null, phone: null, ...draft.shipping },
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

/** One try at an intent's money. Its metadata is the intent's, copied. */
export function createCharge(
  account: Account,
  intent: PaymentIntent,
  { status, billing }: { status: Charge['status']; billing: object },
): Charge {
  const failed = status === 'failed';
  const card = status !== 'pending';
  return account.charges.add({
    id: account.mint(card ? 'ch' : 'py'),
    object: 'charge',
    amount: intent.amount,
    amount_captured: status === 'succeeded' ? intent.amount : 0,
    amount_refunded: 0,
    application: null,
    application_fee: null,
    application_fee_amount: null,
    balance_transaction: null,
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null, ...billing },
    calculated_statement_descriptor: 'SIMULATED SHOP',
    captured: !failed,
    created: account.now,
    currency: intent.currency,
    customer: intent.customer,
    description: intent['description'],
    disputed: false,
    failure_balance_transaction: null,
    failure_code: failed ? 'card_declined' : null,
    failure_message: failed ? 'Your card was declined.' : null,
    fraud_details: {},
    livemode: account.livemode,
    metadata: { ...intent.metadata },
    on_behalf_of: null,
    outcome: outcomeOf(failed),
    paid: status === 'succeeded',
    payment_intent: intent.id,
    payment_method: account.mint('pm'),
    payment_method_details: card ? cardDetails(failed) : { type: 'us_bank_account', us_bank_account: { last4: '6789' } },
    receipt_email: intent['receipt_email'],
    receipt_number: null,
    receipt_url: null,
    refunded: false,
    review: null,
    shipping: intent['shipping'],
    source: null,
    source_transfer: null,
    statement_descriptor: null,
    statement_descriptor_suffix: null,
    status,
    transfer_data: null,
    transfer_group: null,
  });
}

function outcomeOf(failed: boolean): object {
  return {
    advice_code: failed ? 'try_again_later' : null,
    network_advice_code: null,
    network_decline_code: failed ? '05' : null,
    network_status: failed ? 'declined_by_network' : 'approved_by_network',
    reason: failed ? 'generic_decline' : null,
    risk_level: 'normal',
    seller_message: failed ? 'The bank did not return any further details with this decline.' : 'Payment complete.',
    type: failed ? 'issuer_declined' : 'authorized',
  };
}

function cardDetails(failed: boolean): object {
  const last4 = failed ? '0002' : '4242';
  return { type: 'card', card: { brand: 'visa', country: 'US', exp_month: 12, exp_year: 2034, funding: 'credit', last4 } };
}
