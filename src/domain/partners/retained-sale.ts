import { type Sql, sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/**
 * Calculate what is left of an order's sale and of its partner's commission, after something of its payment was
 * reversed: refunded, lost in a dispute, or returned to a gift card. Call with the order locked.
 */
export async function calculateRetained(ctx: InTransaction, orderId: string): Promise<void> {
  const { tenant } = ctx;
  await ctx.tx.execute(sql`
    update partner_attributions a set retained_total_cents = ${retained(sql`a.total_cents`)},
      retained_commission_cents = ${retained(sql`a.commission_cents`)}
    from orders o cross join lateral (
      select coalesce(sum(amount_cents), 0) as paid, coalesce(sum(returned_cents), 0) as returned
      from gift_card_redemptions where tenant_id = ${tenant.id} and order_id = o.id) as card
    cross join lateral (
      select o.total_cents - o.shipping_cents + card.paid as goods, card.returned + (
        select coalesce(sum(amount_cents), 0) from payment_reversals
        where tenant_id = ${tenant.id} and order_id = o.id) - (${shippingAlone(ctx)}) as reversed) as sold
    where a.tenant_id = ${tenant.id} and a.order_id = ${orderId} and o.tenant_id = ${tenant.id} and o.id = ${orderId}`);
}

/**
 * Of an amount for the goods of an order, the part that was not reversed. What was reversed is of the goods with their
 * tax, and of the shipping only beyond their price: a return of all goods leaves nothing.
 */
const retained = (amount: Sql): Sql => sql`case when sold.goods > 0
  then round(${amount} * greatest(sold.goods - greatest(sold.reversed, 0), 0) / sold.goods) else ${amount} end`;

/** A query for what was refunded of the order `o` for its shipping alone: a refund of exactly its price, for no return. */
const shippingAlone = ({ tenant }: InTransaction): Sql => sql`
  select coalesce(max(amount_cents), 0) from payment_refunds
  where tenant_id = ${tenant.id} and order_id = o.id and return_id is null and amount_cents = o.shipping_cents
    and state = 'sent'`;
