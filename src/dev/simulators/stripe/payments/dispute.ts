import { invalid } from '../api/error.ts';
import type { Account } from '../state/account.ts';
import type { Charge, StripeObject } from '../state/objects.ts';

const responseSeconds = 9 * 86_400;
const evidenceFields = [
  ...['access_activity_log', 'billing_address', 'cancellation_policy', 'cancellation_policy_disclosure'],
  ...['cancellation_rebuttal', 'customer_communication', 'customer_email_address', 'customer_name'],
  ...['customer_purchase_ip', 'customer_signature', 'duplicate_charge_documentation', 'duplicate_charge_explanation'],
  ...['duplicate_charge_id', 'product_description', 'receipt', 'refund_policy', 'refund_policy_disclosure'],
  ...['refund_refusal_explanation', 'service_date', 'service_documentation', 'shipping_address', 'shipping_carrier'],
  ...[
    'shipping_date',
    'shipping_documentation',
    'shipping_tracking_number',
    'uncategorized_file',
    'uncategorized_text',
  ],
];
const noEvidence = {
  ...Object.fromEntries(evidenceFields.map((field) => [field, null])),
  enhanced_evidence: {},
};

/**
 * A shopper's bank disputes a charge, what was not lost of it unless an amount is given, and takes the money back for
 * now. After the end of a dispute there may be another one: a charge stays `disputed` for good.
 */
export function openDispute(
  account: Account,
  charge: Charge,
  { reason = 'fraudulent', amount }: { reason?: string; amount?: number } = {},
): StripeObject {
  const disputes = disputesOf(account, charge);
  const lost = disputes.filter(({ status }) => status === 'lost');
  const left = lost.reduce((rest, dispute) => rest - Number(dispute['amount']), charge.amount);
  const isOpen = disputes.some(({ status }) => status === 'needs_response');
  if (charge.status !== 'succeeded' || isOpen || left === 0 || (amount ?? left) > left)
    throw invalid(`Charge ${charge.id} cannot be disputed.`);
  charge.disputed = true;
  const dispute = account.disputes.add({
    id: account.mint('dp'),
    object: 'dispute',
    amount: amount ?? left,
    balance_transactions: [],
    charge: charge.id,
    created: account.now,
    currency: charge.currency,
    enhanced_eligibility_types: [],
    evidence: noEvidence,
    evidence_details: {
      due_by: account.now + responseSeconds,
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

/** Whether a charge is disputed at present, or was lost in a dispute. */
export const isChargedBack = (account: Account, charge: Charge): boolean =>
  disputesOf(account, charge).some(({ status }) => status !== 'won');

const disputesOf = (account: Account, { id }: Charge): StripeObject[] =>
  account.disputes.all().filter(({ charge }) => charge === id);

/** The bank decides a dispute. */
export function closeDispute(account: Account, dispute: StripeObject, status: 'won' | 'lost'): StripeObject {
  if (dispute['status'] !== 'needs_response') throw invalid(`Dispute ${dispute.id} is ${dispute['status']}.`);
  account.change(dispute, { status }, 'charge.dispute.closed');
  if (status === 'won') account.record('charge.dispute.funds_reinstated', dispute);
  return dispute;
}
