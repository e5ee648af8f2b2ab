import { readOne } from '#src/database/transact.ts';
import { chargeStepOf } from '#src/lib/currency.ts';
import { type Cents, floorTo } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { hashGiftCardCode } from './gift-card.ts';
import type { GiftCardReason } from './gift-card-balance.ts';
import { type Holder, ownHolds } from './own-holds.ts';

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
 * Calculate what the card with this code would pay of an order, without holding anything. An unknown card and a
 * disabled one give the same result. Amounts held by open checkouts are not available, except those of the shopper's
 * own checkout, which a new one replaces.
 */
export async function quoteGiftCard(
  ctx: Context,
  { code, orderTotalCents, ...holder }: Holder & { readonly code: string; readonly orderTotalCents: Cents },
): Promise<GiftCardQuote> {
  const card = await readOne<{ id: string; last4: string; currency: string; balanceCents: Cents; freeCents: Cents }>(
    ctx,
    sql`
    select id, last4, currency, balance_cents as "balanceCents", balance_cents - held_cents + own.cents as "freeCents"
    from gift_cards g cross join lateral (${ownHolds(ctx, holder, sql`g.id`)}) as own
    where tenant_id = ${ctx.tenant.id} and code_hash = ${hashGiftCardCode(ctx, code)} and disabled_at is null`,
  );
  if (!card || card.currency !== ctx.tenant.currency) {
    return {
      valid: false,
      giftCardId: null,
      last4: null,
      currency: null,
      balanceCents: 0,
      appliedCents: 0,
      remainingDueCents: orderTotalCents,
      reason: 'not_applicable',
    };
  }
  const { id: giftCardId, last4, currency, balanceCents, freeCents } = card;
  const appliedCents = freeCents >= orderTotalCents ? orderTotalCents : floorTo(freeCents, chargeStepOf(currency));
  const reason = balanceCents === 0 ? 'empty' : freeCents === 0 ? 'in_use' : null;
  return {
    valid: reason === null,
    giftCardId,
    last4,
    currency,
    balanceCents,
    appliedCents,
    remainingDueCents: orderTotalCents - appliedCents,
    reason,
  };
}
