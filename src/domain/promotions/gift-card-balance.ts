import { readOne } from '#src/database/transact.ts';
import { DomainError } from '#src/lib/errors.ts';
import type { Cents } from '#src/lib/money.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';

/** Why a gift card pays nothing: it is unknown or disabled, it is empty, or other checkouts hold its whole balance. */
export const giftCardReasons = ['not_applicable', 'empty', 'in_use'] as const;
export type GiftCardReason = (typeof giftCardReasons)[number];

/** An amount of a gift card's balance. */
export interface GiftCardAmount {
  readonly giftCardId: string;
  readonly amountCents: Cents;
}

/**
 * Hold an amount of a gift card for an order that is not paid yet. The update requires that the balance covers all
 * holds, so concurrent holds cannot exceed it.
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

/** Release a held amount. The caller makes sure that each hold is released once. */
export async function releaseGiftCard(ctx: InTransaction, { giftCardId, amountCents }: GiftCardAmount): Promise<void> {
  await ctx.tx.execute(sql`
    update gift_cards set held_cents = held_cents - ${amountCents}::bigint
    where tenant_id = ${ctx.tenant.id} and id = ${giftCardId}`);
}

/** @returns the error for a gift card that a checkout cannot use */
export function rejectGiftCard(reason: GiftCardReason): DomainError {
  return new DomainError('invalid', 'gift_card_not_applicable', messages[reason], { extensions: { reason } });
}

const messages: Record<GiftCardReason, string> = {
  not_applicable: 'This gift card cannot be used here.',
  empty: 'There is nothing left on this gift card.',
  in_use: 'Another checkout is using this gift card.',
};

export interface GiftCardRedemption extends GiftCardAmount {
  readonly orderId: string;
  /** Whether the order still holds the amount. Default true. `false` for a payment that arrived after its release. */
  readonly isHeld?: boolean;
}

/**
 * Deduct a paid order's amount from the card. Idempotent for each order.
 * @returns `false` when the amount was no longer held and the free balance does not cover it: nothing was deducted, and
 *   the order is underpaid by that amount
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

/**
 * An order paid in part by a gift card, and the amount to return to the card. Default: all that was not returned yet.
 */
export interface GiftCardReturn {
  readonly orderId: string;
  readonly amountCents?: Cents;
}

/**
 * Return an order's amount to the card, in total never more than the order deducted.
 * @returns `false` when the card is disabled: the amount is on it, and no checkout can use it
 */
export async function returnGiftCard(ctx: InTransaction, { orderId, amountCents }: GiftCardReturn): Promise<boolean> {
  const now = ctx.clock.now();
  const cards = await ctx.tx.execute<{ isDisabled: boolean }>(sql`
    with share as (
      select gift_card_id,
        least(coalesce(${amountCents ?? null}::bigint, amount_cents), amount_cents - returned_cents) as cents
      from gift_card_redemptions
      where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and returned_cents < amount_cents for update),
    returned as (
      update gift_card_redemptions r set returned_cents = r.returned_cents + s.cents
      from share s where r.tenant_id = ${ctx.tenant.id} and r.order_id = ${orderId} and r.gift_card_id = s.gift_card_id
      returning r.gift_card_id, r.returned_cents, s.cents),
    entered as (
      insert into gift_card_returns (tenant_id, gift_card_id, order_id, returned_cents, amount_cents, at)
      select ${ctx.tenant.id}, gift_card_id, ${orderId}, returned_cents, cents, ${now}::timestamptz from returned)
    update gift_cards c set balance_cents = c.balance_cents + r.cents, version = c.version + 1, updated_at = ${now}
    from returned r where c.tenant_id = ${ctx.tenant.id} and c.id = r.gift_card_id
    returning c.disabled_at is not null as "isDisabled"`);
  return cards.every(({ isDisabled }) => !isDisabled);
}

/** The amount that a gift card paid of an order and that was not returned yet. The caller has locked the order. */
export async function leftToReturn(ctx: InTransaction, { orderId }: { orderId: string }): Promise<Cents> {
  const [left] = await ctx.tx.execute<{ cents: Cents }>(sql`
    select coalesce(sum(amount_cents - returned_cents), 0)::int8 as cents from gift_card_redemptions
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`);
  return left?.cents ?? 0;
}

/** The amount that was returned to the gift card of an order. */
export async function returnedToGiftCard(ctx: Context, orderId: string): Promise<Cents> {
  const row = await readOne<{ cents: Cents }>(
    ctx,
    sql`
    select coalesce(sum(returned_cents), 0)::int8 as cents from gift_card_redemptions
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`,
  );
  return row?.cents ?? 0;
}

/** An expression for the amount that the card `g` of a query was issued with, and by which its owner adjusted it. */
export const issuedCents: Sql = sql`(g.balance_cents + (
  select coalesce(sum(r.amount_cents - r.returned_cents), 0)::int8 from gift_card_redemptions r
  where r.tenant_id = g.tenant_id and r.gift_card_id = g.id))`;
