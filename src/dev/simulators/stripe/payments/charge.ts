import type { Account } from '../state/account.ts';
import type { Charge, PaymentIntent } from '../state/objects.ts';

/** One attempt to collect a payment. Its metadata is a copy of the intent's. */
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
    calculated_statement_descriptor: 'SIMULATED STORE',
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

/** The card that works ends in 4242, the one that is declined in 0002. */
function cardDetails(amount: number, declined: boolean): object {
  return {
    type: 'card',
    card: {
      amount_authorized: declined ? null : amount,
      authorization_code: declined ? null : '123456',
      brand: 'visa',
      checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
      country: 'US',
      electronic_commerce_indicator: null,
      exp_month: 12,
      exp_year: 2034,
      fingerprint: 'simulated',
      funding: 'credit',
      installments: null,
      last4: declined ? '0002' : '4242',
      mandate: null,
      network: 'visa',
      network_token: { used: false },
      network_transaction_id: null,
      regulated_status: 'unregulated',
      three_d_secure: null,
      transaction_link_id: null,
      wallet: null,
    },
  };
}

/** A debit that takes days. */
function bankDetails(): object {
  return {
    type: 'us_bank_account',
    us_bank_account: {
      account_holder_type: 'individual',
      account_type: 'checking',
      bank_name: 'SIMULATED BANK',
      fingerprint: 'simulated',
      last4: '6789',
      payment_reference: null,
      routing_number: '110000000',
    },
  };
}
