import { chargeStepOf } from '#src/lib/currency.ts';
import { changedMetadata } from '../api/check-metadata.ts';
import { invalid } from '../api/error.ts';
import { formatMoney } from '../money.ts';
import type { Account } from '../state/account.ts';
import type { Charge, MetadataChange, StripeObject } from '../state/objects.ts';
import { isChargedBack } from './dispute.ts';

export interface RefundParams {
  readonly amount?: number;
  readonly reason?: string;
  readonly metadata?: MetadataChange | null;
}

/** Refund a charge: what is left of it, unless an amount is given. */
export function refundCharge(account: Account, charge: Charge, params: RefundParams): StripeObject {
  const left = charge.amount - charge.amount_refunded;
  if (charge.status !== 'succeeded') {
    throw invalid(`Charge ${charge.id} has not succeeded and cannot be refunded.`, 'charge', 'charge_not_refundable');
  }
  if (left === 0) throw invalid(`Charge ${charge.id} has already been refunded.`, undefined, 'charge_already_refunded');
  if (isChargedBack(account, charge))
    throw invalid(`Charge ${charge.id} has been charged back.`, undefined, 'charge_disputed');
  const { amount = left } = params;
  if (amount < 1)
    throw invalid('This value must be greater than or equal to 1.', 'amount', 'parameter_invalid_integer');
  const step = chargeStepOf(charge.currency.toUpperCase());
  if (amount % step !== 0 && amount !== left) {
    throw invalid(`Amounts in ${charge.currency} must be evenly divisible by ${step}.`, 'amount');
  }
  if (amount > left) {
    const [shared, rest] = [amount, left].map((value) => formatMoney(value, charge.currency));
    throw invalid(`Refund amount (${shared}) is greater than unrefunded amount on charge (${rest})`, 'amount');
  }
  const refund = account.refunds.add({
    id: account.mint('re'),
    object: 'refund',
    amount,
    balance_transaction: null,
    charge: charge.id,
    created: account.now,
    currency: charge.currency,
    customer: charge.customer,
    customer_account: null,
    destination_details: { card: { type: 'refund' }, type: 'card' },
    metadata: changedMetadata({}, params.metadata),
    payment_intent: charge.payment_intent,
    payment_method: charge['payment_method'],
    reason: params.reason ?? null,
    receipt_number: null,
    source_transfer_reversal: null,
    status: 'succeeded',
    transfer_reversal: null,
  });
  account.record('refund.created', refund);
  const refunded = charge.amount_refunded + amount;
  account.change(charge, { amount_refunded: refunded, refunded: refunded === charge.amount }, 'charge.refunded');
  return refund;
}

/** The bank sends a refund back: it fails, and no longer counts as refunded. */
export function failRefund(account: Account, refund: StripeObject): StripeObject {
  if (refund['status'] !== 'succeeded') throw invalid(`Refund ${refund.id} is ${refund['status']}.`);
  const charge = account.charges.need(String(refund['charge']));
  charge.amount_refunded -= Number(refund['amount']);
  charge.refunded = false;
  const patch = { status: 'failed', failure_reason: 'lost_or_stolen_card' };
  account.change(refund, patch, 'refund.updated');
  account.record('refund.failed', refund);
  return refund;
}
