import { lockRow } from '#src/database/rows.ts';
import { transact } from '#src/database/transact.ts';
import { chargeStepOf } from '#src/lib/currency.ts';
import { found } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockOrder, type Order, releaseReturn, saveOrder } from '../orders/index.ts';
import {
  closeRefunded,
  leftToRefund,
  refundedForReturn,
  refundToGiftCard,
  rejectUnpaidHere,
  requestRefund,
} from '../payments/index.ts';
import { leftToReturn } from '../promotions/index.ts';
import { enqueueLabelVoid } from '../shipping/index.ts';
import { notifyShopper, type RefundOfReturn, type ReturnRecord, returnNumberOf } from './present.ts';
import { readReturn } from './read-returns.ts';
import { Return, type ReturnStatus, returnNotAllowed } from './return.ts';

/**
 * Approve a return: the shopper may send the goods back. Of an order that has not been sent they stay where they are,
 * and the label of one of which nothing is left to send is voided.
 * @throws DomainError `not_found`, `return_not_allowed`
 */
export async function approveReturn(ctx: Context, decision: ReturnDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'approved', voidLabelIfAll);
}

/**
 * Reject a return. Its items can be requested in another return.
 * @throws DomainError `not_found`, `return_not_allowed`
 */
export async function rejectReturn(ctx: Context, decision: ReturnDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'rejected', releaseItems);
}

/**
 * Record that the goods were received. They are not restocked: whether they can be sold again is the owner's decision.
 * @throws DomainError `not_found`, `return_not_allowed`
 */
export async function receiveReturn(ctx: Context, decision: ReturnDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'received');
}

export interface RefundDecision extends ReturnDecision {
  /**
   * The amount to refund: by default what was paid for the goods, or what is left of it. 0: it was refunded in another
   * way.
   */
  readonly amountCents?: number | null | undefined;
}

/**
 * Refund a return. The refund is enqueued with the decision and issued by a worker; the part that was paid with a gift
 * card is returned to the card at once.
 * @throws DomainError `not_found`, `return_not_allowed`; `refund_not_allowed` for an order that was imported; and those of
 *   `requestRefund` where an amount is given
 */
export async function refundReturn(ctx: Context, { amountCents, ...decision }: RefundDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'refunded', async (ctx, moved) => {
    const { orderId, id: returnId } = moved;
    const order = await lockOrder(ctx, orderId);
    if (!order) return undefined;
    if (amountCents !== 0) rejectUnpaidHere(order);
    const left = (await leftToRefund(ctx, order)) ?? 0;
    const onCard = order.giftCardCents === 0 ? 0 : await leftToReturn(ctx, { orderId });
    const made = await refundedForReturn(ctx, { orderId, returnId });
    const due = Math.max(0, (amountCents ?? (await paidFor(ctx, order, moved))) - made);
    const wanted = amountCents ? due : Math.min(due, left + onCard);
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
    if (toCard > 0) await refundToCard(ctx, order, { toCard, isAll: toCard === onCard });
    return { currency: order.currency, amount_cents: made + money, gift_card_cents: toCard };
  });
}

/** No provider is involved. Where no money is left, this makes the order refunded, or partially refunded. */
async function refundToCard(
  ctx: InTransaction,
  order: Order,
  { toCard, isAll }: { toCard: number; isAll: boolean },
): Promise<void> {
  await refundToGiftCard(ctx, order, toCard);
  if (order.refundedCents < order.totalCents) return;
  if (isAll) {
    await closeRefunded(ctx, order);
    return;
  }
  order.moveTo('partially_refunded');
  order.movePaymentTo('partially_refunded');
  recordEvent(ctx, 'order.refunded', order.id);
  await saveOrder(ctx, order);
}

/**
 * What was paid for the goods of a return, including tax and excluding shipping. What is less than the provider can
 * refund goes to a later return of the order, so that together they refund what was paid.
 */
async function paidFor(ctx: InTransaction, { currency }: Order, { id, orderId }: ReturnRecord): Promise<number> {
  const step = chargeStepOf(currency);
  const [goods] = await ctx.tx.execute<{ paidCents: number | null }>(sql`
    with items as (
      select i.total_cents::numeric * sum(r.quantity) / i.quantity as returned,
        i.total_cents::numeric * coalesce(sum(r.quantity) filter (where t.id <> ${id}), 0) / i.quantity as before
      from returns t
      join return_items r on r.tenant_id = ${ctx.tenant.id} and r.return_id = t.id
      join order_items i on i.tenant_id = ${ctx.tenant.id} and i.id = r.order_item_id
      where t.tenant_id = ${ctx.tenant.id} and t.order_id = ${orderId} and t.status in ('refunded', 'closed')
      group by i.tenant_id, i.id),
    sums as (select sum(returned) as returned, sum(before) as before from items),
    goods as (
      select o.total_cents - o.shipping_cents + (
          select coalesce(sum(g.amount_cents), 0)::int8 from gift_card_redemptions g
          where g.tenant_id = ${ctx.tenant.id} and g.order_id = o.id) as paid,
        nullif(o.subtotal_cents - o.discount_cents, 0) as price
      from orders o where o.tenant_id = ${ctx.tenant.id} and o.id = ${orderId})
    select (floor(s.returned * g.paid / g.price / ${step}::int)
      - floor(s.before * g.paid / g.price / ${step}::int))::int8 * ${step}::int as "paidCents"
    from sums s, goods g`);
  return goods?.paidCents ?? 0;
}

/**
 * Close a return: it was refunded or replaced, or the goods never arrived. Items that never arrived can be returned
 * later.
 * @throws DomainError `not_found`, `return_not_allowed`
 */
export async function closeReturn(ctx: Context, decision: ReturnDecision): Promise<ReturnRecord> {
  return moveReturn(ctx, decision, 'closed', async (ctx, closed, before) => {
    if (before === 'approved') await releaseItems(ctx, closed);
  });
}

/** The owner's decision about a return. `note` is a message for the shopper. */
export interface ReturnDecision {
  readonly returnId: string;
  readonly note?: string | null | undefined;
}

/**
 * Change the status of a return, with its audit entry, its event and the shopper's email. The status that it has
 * already changes nothing.
 *
 * @param also further changes in the same transaction; what it refunded is in the email
 * @throws DomainError not_found, or `return_not_allowed` where the change of status is not allowed
 */
async function moveReturn(
  ctx: Context,
  { returnId, note }: ReturnDecision,
  status: ReturnStatus,
  also?: (ctx: InTransaction, moved: ReturnRecord, before: ReturnStatus) => Promise<RefundOfReturn>,
): Promise<ReturnRecord> {
  return transact(ctx, async (ctx) => {
    const locked = await lockReturn(ctx, returnId);
    const before = locked.status;
    if (before !== status) {
      if (!locked.mayMoveTo(status))
        throw returnNotAllowed('wrong_status', `A return that is ${before} cannot become ${status}.`);
      locked.moveTo(status);
      locked.note = note ?? null;
      locked.updatedAt = ctx.clock.now();
      if (status === 'approved') locked.approvedAt = locked.updatedAt;
      if (status === 'closed' && before === 'approved') locked.releasedAt = locked.updatedAt;
      await ctx.tx.em.flush();
    }
    const moved = found(await readReturn(ctx, returnId), 'return');
    if (before === status) return moved;

    const refund = await also?.(ctx, moved, before);
    await recordAudit(ctx, {
      action: `return.${status}`,
      subjectKind: 'return',
      subjectId: returnId,
      before: { status: before },
      after: { status },
    });
    recordEvent(ctx, 'return.updated', returnId);
    notifyShopper(ctx, moved, refund);
    return moved;
  });
}

async function voidLabelIfAll(ctx: InTransaction, { orderId, number }: ReturnRecord): Promise<undefined> {
  await enqueueLabelVoid(ctx, { orderId, number });
}

/** Release the items of a return: they will not be sent back, so another return may include them. */
async function releaseItems(ctx: InTransaction, { orderId, items }: ReturnRecord): Promise<undefined> {
  await releaseReturn(
    ctx,
    orderId,
    items.map(({ orderItemId, quantity }) => ({ itemId: orderItemId, quantity })),
  );
}

/** The return, locked after its order: every transaction locks the order first. */
async function lockReturn(ctx: InTransaction, id: string): Promise<Return> {
  const [row] = await ctx.tx.execute<{ orderId: string }>(sql`
    select order_id as "orderId" from returns where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  await lockOrder(ctx, found(row, 'return').orderId);
  return found(await lockRow(ctx, Return, id), 'return');
}
