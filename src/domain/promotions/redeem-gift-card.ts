import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { GiftCardAmount } from './hold-gift-card.ts';

export interface GiftCardRedemption extends GiftCardAmount {
  readonly orderId: string;
  /** Whether the order still holds the amount; the default. `false` for a payment that came after its release. */
  readonly isHeld?: boolean;
}

/**
 * A paid order takes its amount from the card. Once per order, however often it is told. `false` when the amount was
 * not held any more and what is free on the card does not cover it: then nothing was taken, and the order is short.
 */
export async function redeemGiftCard(
  ctx: InTransaction,
  { giftCardId, amountCents, orderId, isHeld = true }: GiftCardRedemption,
): Promise<boolean> {
  const redeemed = await ctx.tx.execute(sql`
    insert into gift_card_redemptions (tenant_id, gift_card_id, order_id, amount_cents, redeemed_at)
    select ${ctx.tenant.id}, id, ${orderId}, ${amountCents}::bigint, ${ctx.clock.now()}::timestamptz
    from gift_cards
    where tenant_id = ${ctx.tenant.id} and id = ${giftCardId}
      and (${isHeld} or balance_cents - held_cents >= ${amountCents}::bigint)
    for update
    on conflict do nothing returning 1`);
  if (redeemed.length === 0) return isRedeemed(ctx, giftCardId, orderId);

  await ctx.tx.execute(sql`
    update gift_cards set balance_cents = balance_cents - ${amountCents}::bigint,
      held_cents = held_cents - ${isHeld ? amountCents : 0}::bigint
    where tenant_id = ${ctx.tenant.id} and id = ${giftCardId}`);
  return true;
}

async function isRedeemed(ctx: InTransaction, giftCardId: string, orderId: string): Promise<boolean> {
  const rows = await ctx.tx.execute(sql`
    select 1 from gift_card_redemptions
    where tenant_id = ${ctx.tenant.id} and gift_card_id = ${giftCardId} and order_id = ${orderId}`);
  return rows.length > 0;
}
