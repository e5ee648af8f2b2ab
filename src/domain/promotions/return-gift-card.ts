import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/** Put back on the card what an order took from it: the order was refunded. Once, however often it is told. */
export async function returnGiftCard(ctx: InTransaction, { orderId }: { orderId: string }): Promise<void> {
  const now = ctx.clock.now();
  await ctx.tx.run(sql`
    with returned as (
      update gift_card_redemptions set returned_at = ${now}
      where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and returned_at is null
      returning gift_card_id, amount_cents)
    update gift_cards c
    set balance_cents = c.balance_cents + r.amount_cents, version = c.version + 1, updated_at = ${now}
    from returned r where c.tenant_id = ${ctx.tenant.id} and c.id = r.gift_card_id`);
}
