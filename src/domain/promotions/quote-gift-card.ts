import { chargeStepOf } from '#src/lib/currency.ts';
import { type Cents, floorTo } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { readOne } from '../database.ts';
import { hashGiftCardCode } from './gift-card.ts';
import type { GiftCardReason } from './hold-gift-card.ts';

/** What a gift card would pay of an order. */
export interface GiftCardQuote {
  readonly valid: boolean;
  readonly giftCardId: string | null;
  readonly last4: string | null;
  readonly currency: string | null;
  readonly balanceCents: Cents;
  readonly appliedCents: Cents;
  readonly remainingDueCents: Cents;
  readonly reason: GiftCardReason | null;
}

/**
 * What the card with this code pays of an order; nothing is held or changed. An unknown card and a disabled one look
 * the same. Judged by the balance: what open checkouts hold of it is `holdGiftCard`'s to judge, so that nobody is
 * turned away by a checkout of their own.
 */
export async function quoteGiftCard(
  ctx: Context,
  { code, orderTotalCents }: { code: string; orderTotalCents: Cents },
): Promise<GiftCardQuote> {
  const card = await readOne<{ id: string; last4: string; currency: string; balanceCents: Cents }>(ctx, sql`
    select id, last4, currency, balance_cents as "balanceCents" from gift_cards
    where tenant_id = ${ctx.tenant.id} and code_hash = ${hashGiftCardCode(ctx, code)} and disabled_at is null`);
  if (!card || card.currency !== ctx.tenant.currency) {
    return {
      valid: false, giftCardId: null, last4: null, currency: null, balanceCents: 0, appliedCents: 0,
      remainingDueCents: orderTotalCents, reason: 'not_applicable',
    };
  }
  const { id: giftCardId, last4, currency, balanceCents } = card;
  const appliedCents = balanceCents >= orderTotalCents ? orderTotalCents : floorTo(balanceCents, chargeStepOf(currency));
  const isEmpty = balanceCents === 0;
  return {
    valid: !isEmpty, giftCardId, last4, currency, balanceCents, appliedCents,
    remainingDueCents: orderTotalCents - appliedCents, reason: isEmpty ? 'empty' : null,
  };
}
