import { DomainError } from '#src/lib/errors.ts';
import type { Cents } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/** Why a gift card pays nothing: there is none like it, nothing is left on it, or other checkouts hold what is. */
export const giftCardReasons = ['not_applicable', 'empty', 'in_use'] as const;
export type GiftCardReason = (typeof giftCardReasons)[number];

/** Some of a gift card's balance. */
export interface GiftCardAmount {
  readonly giftCardId: string;
  readonly amountCents: Cents;
}

/**
 * Keep some of a gift card for an order that is not paid yet. That the balance covers all that is held of it is the
 * condition of the update, so it holds however many ask at once.
 * @throws DomainError invalid `gift_card_not_applicable`, with a `reason`
 */
export async function holdGiftCard(ctx: InTransaction, { giftCardId, amountCents }: GiftCardAmount): Promise<void> {
  const held = await ctx.tx.execute(sql`
    update gift_cards set held_cents = held_cents + ${amountCents}::bigint
    where tenant_id = ${ctx.tenant.id} and id = ${giftCardId} and disabled_at is null
      and balance_cents - held_cents >= ${amountCents}::bigint
    returning 1`);
  if (held.length === 0) throw rejectGiftCard('in_use');
}

/** Give back what was held. Whoever keeps the hold sees to it that this happens once. */
export async function releaseGiftCard(ctx: InTransaction, { giftCardId, amountCents }: GiftCardAmount): Promise<void> {
  await ctx.tx.execute(sql`
    update gift_cards set held_cents = held_cents - ${amountCents}::bigint
    where tenant_id = ${ctx.tenant.id} and id = ${giftCardId}`);
}

/** The refusal of a gift card at checkout. */
export function rejectGiftCard(reason: GiftCardReason): DomainError {
  return new DomainError('invalid', 'gift_card_not_applicable', sentences[reason], { extensions: { reason } });
}

const sentences: Record<GiftCardReason, string> = {
  not_applicable: 'This gift card cannot be used here.',
  empty: 'There is nothing left on this gift card.',
  in_use: 'Another checkout is using this gift card.',
};
