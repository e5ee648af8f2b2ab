import type { Cents } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/** An order that a gift card paid something of, and how much of that goes back: all that is left, unless told. */
export interface GiftCardReturn {
  readonly orderId: string;
  readonly amountCents?: Cents;
}

/** Put back on the card what an order took from it, never more than that, however often it is told. */
export async function returnGiftCard(ctx: InTransaction, { orderId, amountCents }: GiftCardReturn): Promise<void> {
  const now = ctx.clock.now();
  await ctx.tx.execute(sql`
    with share as (
      select gift_card_id, least(coalesce(${amountCents ?? null}::bigint, amount_cents), amount_cents - returned_cents) as cents
      from gift_card_redemptions
      where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and returned_cents < amount_cents for update),
    returned as (
      update gift_card_redemptions r set returned_cents = r.returned_cents + s.cents, returned_at = ${now}
      from share s where r.tenant_id = ${ctx.tenant.id} and r.order_id = ${orderId} and r.gift_card_id = s.gift_card_id
      returning r.gift_card_id, s.cents)
    update gift_cards c set balance_cents = c.balance_cents + r.cents, version = c.version + 1, updated_at = ${now}
    from returned r where c.tenant_id = ${ctx.tenant.id} and c.id = r.gift_card_id`);
}

/** What a gift card paid of an order and did not get back yet. Call with the order locked. */
export async function leftToReturn(ctx: InTransaction, { orderId }: { orderId: string }): Promise<Cents> {
  const [left] = await ctx.tx.execute<{ cents: Cents }>(sql`
    select coalesce(sum(amount_cents - returned_cents), 0)::int8 as cents from gift_card_redemptions
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`);
  return left?.cents ?? 0;
}
