import { rangeState } from '../../lib/range-state.ts';

interface Promo {
  readonly starts_at: string | null;
  readonly ends_at: string | null;
  readonly usage_limit: number | null;
  readonly used: number;
}

/** Whether shoppers can use a promo code at this time, or what keeps all of them from it. */
export function stateOf(promo: Promo, now: number): string {
  const state = rangeState(promo, now);
  const isUsedUp = promo.usage_limit !== null && promo.used >= promo.usage_limit;
  return state !== 'ended' && isUsedUp ? 'used_up' : state;
}
