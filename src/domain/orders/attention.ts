/** Why an operator has to look at an order: a stable code, and a sentence. */
export interface Attention {
  readonly code: string;
  readonly detail: string;
}

/** Disputes have a deadline, then comes money, then goods that may not be sent. What is not listed follows. */
const mostUrgent = [
  'disputed',
  'dispute_lost',
  'paid_twice',
  'amount_mismatch',
  'payment_missing',
  'refund_failed',
  'oversold',
  'gift_card_spent',
  'duplicate_subscription',
  'renewal_unknown',
];

/** The set with this one in it, the most urgent first. One of the same code is replaced. */
export function withAttention(open: readonly Attention[], added: Attention): Attention[] {
  const others = withoutAttentions(open, [added.code]);
  return [...others, added].toSorted((left, right) => rankOf(left) - rankOf(right));
}

/** The set without those of these codes. */
export function withoutAttentions(open: readonly Attention[], codes: readonly string[]): Attention[] {
  return open.filter(({ code }) => !codes.includes(code));
}

function rankOf({ code }: Attention): number {
  const rank = mostUrgent.indexOf(code);
  return rank === -1 ? mostUrgent.length : rank;
}
