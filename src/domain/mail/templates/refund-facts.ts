import type { Context } from '../../context.ts';
import type { Fact } from '../layout/document.ts';
import { money } from './template.ts';

/** What was refunded: as money, and to the gift card. */
export interface RefundAmounts {
  readonly currency: string;
  readonly amount_cents: number;
  readonly gift_card_cents: number;
}

export function refundFacts(ctx: Context, { currency, amount_cents, gift_card_cents }: RefundAmounts): Fact[] {
  const fact = (label: string, cents: number) => ({ label, values: [money(ctx, cents, currency)] });
  return [
    ...(amount_cents > 0 ? [fact('Refund', amount_cents)] : []),
    ...(gift_card_cents > 0 ? [fact('Refund to your gift card', gift_card_cents)] : []),
  ];
}
