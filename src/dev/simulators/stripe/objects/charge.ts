import type { Account } from '../account.ts';
import type { PaymentIntent } from './payment-intent.ts';
import { bankDetails, cardDetails } from './payment-method-details.ts';
import type { StripeObject } from './stripe-object.ts';

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
    payment_method_details: card ? cardDetails(intent.amount, failed) : bankDetails(),
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
