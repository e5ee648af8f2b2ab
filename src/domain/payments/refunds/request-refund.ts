import { issueRefund } from '#jobs/payments.ts';
import { transact } from '#src/database/transact.ts';
import { DomainError, invalidRequest, notFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { Cents } from '#src/lib/money.ts';
import { Cents as CentsSchema, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../../audit/index.ts';
import type { Context, InTransaction } from '../../context.ts';
import { lockOrder, type Order } from '../../orders/index.ts';
import { type Refund, readRefund } from './refund.ts';

export const RefundInput = Type.Object({
  amount_cents: Omittable(
    Type.Unsafe<Cents>({
      ...CentsSchema,
      minimum: 1,
      description: 'All that is left, unless an amount is named.',
    }),
  ),
  reason: Omittable(Text(500, { examples: ['Arrived with a crack'] })),
});
export type RefundInput = Static<typeof RefundInput>;

/** What its owner wants to give back of an order. */
export interface RefundRequest {
  readonly orderId: string;
  /** All that is left, unless an amount is named. */
  readonly amountCents?: Cents | null | undefined;
  /** Why, in the owner's words. */
  readonly reason?: string | null | undefined;
  /** The return for which it is. */
  readonly returnId?: string | undefined;
  /** The request named itself: it is not the one that is under way already, however much alike they are. */
  readonly isNamed?: boolean | undefined;
}

/**
 * Give money of an order back: written down here, and issued by a worker. The order follows when the provider has
 * said so. What a gift card paid goes back to it once all of the money has. A request that does not name itself, and has
 * the amount and reason of one that the provider has not answered yet, is that one.
 *
 * @throws DomainError not_found; `refund_not_allowed` with `reason`; `invalid_request` for more than is left
 */
export async function requestRefund(ctx: Context, request: RefundRequest): Promise<Refund> {
  const { orderId, reason = null, returnId = null } = request;
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (!order) throw notFound('order');
    const pending = request.isNamed || returnId ? undefined : await findPending(ctx, request);
    if (pending) return pending;
    const amountCents = checkRefundAmount(order, await leftToRefund(ctx, order), request.amountCents ?? null);

    const id = newId('rfd');
    await ctx.tx.execute(sql`
      insert into payment_refunds (tenant_id, id, order_id, return_id, state, amount_cents, reason, requested_by,
        created_at)
      values (${ctx.tenant.id}, ${id}, ${orderId}, ${returnId}, 'requested', ${amountCents}, ${reason}, ${ctx.actor.id},
        ${ctx.clock.now()})`);
    enqueue(ctx, issueRefund, { refundId: id, attempt: 1 });
    await recordAudit(ctx, {
      action: 'order.refund_requested',
      subjectKind: 'order',
      subjectId: orderId,
      after: { refund_id: id, amount_cents: amountCents, reason },
    });
    const refund = await readRefund(ctx, id);
    if (!refund) throw new TypeError('A refund that was written is not there.');
    return refund;
  });
}

/** The same refund, requested and not answered by the provider yet. Of all that is left there is no second one. */
async function findPending(
  ctx: InTransaction,
  { orderId, amountCents = null, reason = null }: RefundRequest,
): Promise<Refund | undefined> {
  if (amountCents === null) return undefined;
  const [pending] = await ctx.tx.execute<{ id: string }>(sql`
    select id from payment_refunds
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and state = 'requested' and return_id is null
      and amount_cents = ${amountCents} and reason is not distinct from ${reason}
    order by created_at desc, id desc limit 1`);
  return pending && readRefund(ctx, pending.id);
}

/**
 * What can still be given back of an order, by what the provider said and what was asked for since; `undefined` where
 * nothing can. 0: a gift card paid all of it. Call with the order locked.
 */
export async function leftToRefund(ctx: InTransaction, order: Order): Promise<Cents | undefined> {
  const isFree = order.totalCents === 0;
  if (!order.isPaid || (!order.paymentId && !isFree) || order.status === 'refunded') return undefined;
  const [open] = await ctx.tx.execute<{ count: number; cents: number }>(sql`
    select count(*)::int as count, coalesce(sum(amount_cents), 0)::int8 as cents from payment_refunds
    where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} and state = 'requested'`);
  const left = order.totalCents - order.refundedCents - (open?.cents ?? 0);
  if (isFree) return open?.count ? undefined : 0;
  return left > 0 ? left : undefined;
}

function checkRefundAmount(order: Order, left: Cents | undefined, wanted: Cents | null): Cents {
  if (left === undefined) {
    const reason = order.isPaid ? 'refunded' : 'not_paid';
    const message = order.isPaid ? 'All that was paid for this order has gone back.' : 'This order was not paid.';
    throw new DomainError('conflict', 'refund_not_allowed', message, { extensions: { reason } });
  }
  if (wanted === null) return left;
  if (wanted <= left) return wanted;
  throw invalidRequest('More would go back than is left of the payment.', {
    path: '/amount_cents',
    code: 'maximum',
    detail: `must be at most ${left}`,
  });
}
