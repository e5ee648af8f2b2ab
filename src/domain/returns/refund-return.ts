import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/record-event.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, type Order, saveOrder } from '../orders/index.ts';
import { leftToRefund, requestRefund } from '../payments/index.ts';
import { leftToReturn, returnGiftCard } from '../promotions/index.ts';
import { moveReturn, type ReturnDecision } from './move-return.ts';
import { returnNumberOf } from './present.ts';
import type { ReturnRecord } from './read-returns.ts';

export interface RefundDecision extends ReturnDecision {
  /** What goes back: by default what was paid for the goods, or what is left of it. 0: it went back in another way. */
  readonly amountCents?: number | null | undefined;
}

/**
 * Give back the money for what came back: the refund is promised with the decision, and issued by a worker. What more
 * was paid with a gift card goes back to the card at once.
 * @throws DomainError not_found, `return_not_allowed`; and as `requestRefund` where an amount is named
 */
export async function refundReturn(ctx: Context, { amountCents, ...decision }: RefundDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'refunded', async (ctx, moved) => {
    const { orderId, id: returnId } = moved;
    const order = await lockOrder(ctx, orderId);
    if (!order) return;
    const left = (await leftToRefund(ctx, order)) ?? 0;
    const onCard = order.giftCardCents === 0 ? 0 : await leftToReturn(ctx, { orderId });
    const wanted = amountCents ?? Math.min(await paidFor(ctx, moved), left + onCard);
    const isTooMuch = wanted > left + onCard;
    const toCard = isTooMuch ? 0 : Math.max(0, wanted - left);
    const money = wanted - toCard;
    if (money > 0) {
      await requestRefund(ctx, {
        orderId,
        amountCents: money,
        reason: `Return ${returnNumberOf(moved.number)}`,
        returnId,
      });
    }
    if (toCard > 0) await giveBackToCard(ctx, order, { toCard, isAll: toCard === onCard });
  });
}

/** Nobody has to be asked. Where a gift card paid all of it, the order is refunded by this, or in part. */
async function giveBackToCard(
  ctx: InTransaction,
  order: Order,
  { toCard, isAll }: { toCard: number; isAll: boolean },
): Promise<void> {
  await returnGiftCard(ctx, { orderId: order.id, amountCents: toCard });
  if (order.totalCents > 0) return;
  const status = isAll ? 'refunded' : 'partially_refunded';
  if (order.status !== status) {
    order.moveTo(status);
    order.movePaymentTo(status);
    await saveOrder(ctx, order);
  }
  recordEvent(ctx, 'order.refunded', order.id);
}

/** What was paid for the goods of a return, with their tax and without shipping. */
async function paidFor(ctx: InTransaction, { id, orderId }: ReturnRecord): Promise<number> {
  const [goods] = await ctx.tx.execute<{ paidCents: number | null }>(sql`
    select floor(sum(i.total_cents::numeric * r.quantity / i.quantity)
      * max(o.total_cents + o.gift_card_cents - o.shipping_cents) / nullif(max(o.subtotal_cents - o.discount_cents), 0)
      )::int8 as "paidCents"
    from return_items r
    join order_items i on i.tenant_id = ${ctx.tenant.id} and i.id = r.order_item_id
    join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = ${orderId}
    where r.tenant_id = ${ctx.tenant.id} and r.return_id = ${id}`);
  return goods?.paidCents ?? 0;
}
