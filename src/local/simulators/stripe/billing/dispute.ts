import type { Account } from '../account.ts';
import type { Charge } from '../objects/payment.ts';
import type { StripeObject } from '../objects/stripe-object.ts';
import { invalid } from '../wire/refusal.ts';

const answerSeconds = 9 * 86_400;

/** A shopper's bank takes the money back for now. */
export function openDispute(account: Account, charge: Charge, reason = 'fraudulent'): StripeObject {
  if (charge.disputed || charge.status !== 'succeeded') throw invalid(`Charge ${charge.id} cannot be disputed.`);
  charge.disputed = true;
  const dispute = account.disputes.add({
    id: account.mint('dp'),
    object: 'dispute',
    amount: charge.amount,
    balance_transactions: [],
    charge: charge.id,
    created: account.now,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: {},
    evidence_details: {
      due_by: account.now + answerSeconds,
      enhanced_eligibility: {},
      has_evidence: false,
      past_due: false,
      submission_count: 0,
      submission_method: 'not_submitted',
    },
    intended_submission_method: null,
    is_charge_refundable: false,
    livemode: account.livemode,
    metadata: {},
    payment_intent: charge.payment_intent,
    payment_method_details: {
      card: { brand: 'visa', case_type: 'chargeback', network: 'visa', network_reason_code: '10.4' },
      type: 'card',
    },
    reason,
    status: 'needs_response',
  });
  account.record('charge.dispute.created', dispute);
  account.record('charge.dispute.funds_withdrawn', dispute);
  return dispute;
}

/** The bank decides. */
export function closeDispute(account: Account, dispute: StripeObject, status: 'won' | 'lost'): StripeObject {
  if (dispute['status'] !== 'needs_response') throw invalid(`Dispute ${dispute.id} is ${dispute['status']}.`);
  account.change(dispute, { status }, 'charge.dispute.closed');
  if (status === 'won') {
    account.charges.need(String(dispute['charge'])).disputed = false;
    account.record('charge.dispute.funds_reinstated', dispute);
  }
  return dispute;
}
