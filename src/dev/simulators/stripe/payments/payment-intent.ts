import type { Account } from '../state/account.ts';
import type { Charge, Metadata, PaymentIntent, ShippingDetails } from '../state/objects.ts';
import { createCharge } from './charge.ts';

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

/** A payment intent without a payment method. */
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

/** The shipping details of a payment intent. */
export function intentShipping(shipping: ShippingDetails | null): object | null {
  return shipping && { carrier: null, tracking_number: null, phone: null, ...shipping };
}

/** `processing`: by a bank debit. `voucher`: in cash, with a slip that the shopper has yet to take to a shop. */
export type Outcome = 'paid' | 'declined' | 'processing' | 'voucher';

/** Attempt to collect a payment, and record the events. */
export function attemptPayment(account: Account, intent: PaymentIntent, outcome: Outcome, billing: object): void {
  if (outcome === 'declined') decline(account, intent, billing);
  else if (outcome === 'processing') startDebit(account, intent, billing);
  else if (outcome === 'voucher') issueVoucher(account, intent);
  else collect(account, intent, billing);
}

function collect(account: Account, intent: PaymentIntent, billing: object): void {
  const charge = createCharge(account, intent, { status: 'succeeded', billing });
  account.record('charge.succeeded', charge);
  receive(account, intent, charge);
}

/** Whether a payment is on its way. */
export const isUnderWay = ({ status }: PaymentIntent): boolean =>
  status === 'processing' || status === 'requires_action';

/** The end of a slow bank debit, or of a voucher: that was paid, or is no longer valid. */
export function settlePayment(account: Account, intent: PaymentIntent, succeeded: boolean): void {
  if (intent.latest_charge === null) {
    if (succeeded) collect(account, intent, {});
    else recordFailure(account, intent, null, { code: 'payment_intent_payment_attempt_expired', message: expired });
    return;
  }
  const charge = account.charges.need(intent.latest_charge);
  if (succeeded) {
    account.change(charge, { status: 'succeeded', paid: true, amount_captured: charge.amount }, 'charge.succeeded');
    receive(account, intent, charge);
    return;
  }
  const failure = {
    failure_code: 'debit_not_authorized',
    failure_message: 'The customer has disputed the debit.',
  };
  account.change(charge, { status: 'failed', paid: false, ...failure }, 'charge.failed');
  recordFailure(account, intent, charge, { code: failure.failure_code, message: failure.failure_message });
}

export function cancelIntent(account: Account, intent: PaymentIntent): void {
  if (intent.status !== 'requires_payment_method') return;
  const patch = { status: 'canceled', canceled_at: account.now, cancellation_reason: 'automatic' } as const;
  account.change(intent, patch, 'payment_intent.canceled');
}

function receive(account: Account, intent: PaymentIntent, charge: Charge): void {
  account.change(
    intent,
    {
      amount_received: intent.amount,
      last_payment_error: null,
      latest_charge: charge.id,
      next_action: null,
      payment_method: String(charge['payment_method']),
      processing: null,
      status: 'succeeded',
    },
    'payment_intent.succeeded',
  );
}

const expired = 'The latest payment attempt of this PaymentIntent has expired.';
const voucherSeconds = 3 * 86_400;

/** There is no charge before the shopper has paid. */
function issueVoucher(account: Account, intent: PaymentIntent): void {
  const details = {
    expires_at: account.now + voucherSeconds,
    hosted_voucher_url: null,
    number: '01010101010101010101010101010101010101010101010',
    pdf: null,
  };
  account.change(
    intent,
    {
      last_payment_error: null,
      latest_charge: null,
      next_action: { type: 'boleto_display_details', boleto_display_details: details },
      payment_method: account.mint('pm'),
      status: 'requires_action',
    },
    'payment_intent.requires_action',
  );
}

function startDebit(account: Account, intent: PaymentIntent, billing: object): void {
  const charge = createCharge(account, intent, { status: 'pending', billing });
  account.record('charge.pending', charge);
  const method = String(charge['payment_method']);
  account.change(
    intent,
    { latest_charge: charge.id, payment_method: method, status: 'processing', last_payment_error: null },
    'payment_intent.processing',
  );
}

function decline(account: Account, intent: PaymentIntent, billing: object): void {
  const charge = createCharge(account, intent, { status: 'failed', billing });
  account.record('charge.failed', charge);
  recordFailure(account, intent, charge, {
    code: 'card_declined',
    decline_code: 'generic_decline',
    message: 'Your card was declined.',
  });
}

function recordFailure(account: Account, intent: PaymentIntent, charge: Charge | null, error: object): void {
  account.change(
    intent,
    {
      last_payment_error: { ...(charge && { charge: charge.id }), type: 'card_error', ...error },
      latest_charge: charge?.id ?? null,
      next_action: null,
      payment_method: null,
      processing: null,
      status: 'requires_payment_method',
    },
    'payment_intent.payment_failed',
  );
}
