import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder } from '../orders/index.ts';
import { leftToRefund, requestRefund } from '../payments/index.ts';
import { moveReturn, type ReturnDecision } from './move-return.ts';
import { returnNumberOf } from './present.ts';
import type { ReturnRecord } from './read-returns.ts';

export interface RefundDecision extends ReturnDecision {
  /** What goes back: by default what was paid for the goods, or what is left of it. 0: it went back in another way. */
  readonly amountCents?: number | null | undefined;
}

/**
 * Give back the money for what came back: the refund is promised with the decision, and issued by a worker.
 * @throws DomainError not_found, `return_not_allowed`; and as `requestRefund` where an amount is named
 */
export async function refundReturn(ctx: Context, { amountCents, ...decision }: RefundDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'refunded', async (ctx, moved) => {
    const wanted = amountCents ?? (await paidFor(ctx, moved));
    if (wanted === 0) return;
    const reason = `Return ${returnNumberOf(moved.number)}`;
    await requestRefund(ctx, { orderId: moved.orderId, amountCents: wanted, reason, returnId: moved.id });
  });
}

/** What was paid for the goods of a return, with their tax and without shipping, as far as it can still go back. */
async function paidFor(ctx: InTransaction, { id, orderId }: ReturnRecord): Promise<number> {
  const order = await lockOrder(ctx, orderId);
  const left = order && (await leftToRefund(ctx, order));
  if (!left) return 0;
  const [goods] = await ctx.tx.run<{ paidCents: number | null }>(sql`
    select floor(sum(i.total_cents::numeric * r.quantity / i.quantity)
      * max(o.total_cents + o.gift_card_cents - o.shipping_cents) / nullif(max(o.subtotal_cents - o.discount_cents), 0)
      )::int8 as "paidCents"
    from return_items r
    join order_items i on i.tenant_id = ${ctx.tenant.id} and i.id = r.order_item_id
    join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = ${orderId}
    where r.tenant_id = ${ctx.tenant.id} and r.return_id = ${id}`);
  return Math.min(goods?.paidCents ?? 0, left);
}
