import { isReasonCode, reasons } from '../shipping/index.ts';

/** What to do about what is the matter with an order, beyond what labels know. A shipped code is never changed. */
const steps: Readonly<Record<string, string>> = {
  amount_mismatch: 'Compare the payment with the order at the payment provider, and refund it there if it is wrong.',
  paid_twice: 'Refund one of the two payments at the payment provider.',
  duplicate_subscription: 'Ask the shopper which of the two to keep, cancel the other one and refund it.',
  renewal_unknown: 'Look at the subscription at the payment provider: send what was paid for, or refund it.',
  payment_missing: 'Look for the payment at the payment provider before anything more is sent.',
  gift_card_spent: 'Ask the shopper for the difference, or refund the order.',
  refund_failed: 'Look at the payment at the payment provider, then refund again or pay the shopper in another way.',
  disputed: 'Answer the dispute at the payment provider in time.',
  dispute_lost: 'The money is gone. If the goods are not on their way yet, keep them.',
  duplicate_voided: 'Use the first label and throw the other one away.',
};

/** What to do about an order that wants a person, by the code of why it does. */
export function nextStep(code: string): string {
  return isReasonCode(code) ? reasons[code].next : (steps[code] ?? 'Look at the order and at its payment.');
}
