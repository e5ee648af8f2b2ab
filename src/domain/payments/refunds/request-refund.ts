import { issueRefund } from '#jobs/payments.ts';
import { lockName } from '#src/database/lock-names.ts';
import { transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { chargeStepOf } from '#src/lib/currency.ts';
import { days } from '#src/lib/duration.ts';
import { DomainError, found, invalidRequest } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import type { Cents } from '#src/lib/money.ts';
import { Cents as CentsSchema, Omittable, type Static, Text, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../../audit/index.ts';
import type { Context, InTransaction } from '../../context.ts';
import { lockOrder, type Order } from '../../orders/index.ts';
import { isVerified, requireSecondFactor } from '../../second-factor.ts';
import { rejectIfRemoved } from '../../tenants/index.ts';
import { type Refund, readRefund } from './refund.ts';

export const RefundInput = Type.Object({
  amount_cents: Omittable(
    Type.Unsafe<Cents>({
      ...CentsSchema,
      minimum: 1,
      description: 'The amount to refund. Default: everything that is left.',
    }),
  ),
  reason: Omittable(Text(500, { examples: ['Arrived with a crack'] })),
});
export type RefundInput = Static<typeof RefundInput>;

/** What of an order is to be refunded. */
export interface RefundRequest {
  readonly orderId: string;
  /** Default: everything that is left. */
  readonly amountCents?: Cents | null | undefined;
  /** Why, in the owner's words. */
  readonly reason?: string | null | undefined;
  /** The return that it belongs to. */
  readonly returnId?: string | undefined;
  /** The request has an idempotency key, so it is never taken for a pending one with the same amount and reason. */
  readonly isNamed?: boolean | undefined;
}

/**
 * Request a refund: it is stored here and issued by a worker; the order changes when the provider has accepted it. The
 * gift card's part is returned once all money was refunded. A request without an idempotency key that has the amount
 * and reason of a pending refund returns that one.
 *
 * @throws DomainError not_found; `refund_not_allowed` with `reason`; `invalid_request` for more than is left, or
 *   for a part of the smallest amount of the currency;
 *   `second_factor_required` for a member of the staff above the store's limit
 */
export async function requestRefund(ctx: Context, request: RefundRequest): Promise<Refund> {
  const { orderId, reason = null, returnId = null } = request;
  return transact(ctx, async (ctx) => {
    const order = found(await lockOrder(ctx, orderId), 'order');
    await rejectIfRemoved(ctx);
    const pending = request.isNamed || returnId ? undefined : await findPending(ctx, request);
    if (pending) return pending;
    const amountCents = checkRefundAmount(order, await leftToRefund(ctx, order), request.amountCents ?? null);
    await verifyAmount(ctx, amountCents);

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
      // Without the reason, which may name the shopper, whom no erasure would find there.
      after: { refund_id: id, amount_cents: amountCents },
    });
    const refund = await readRefund(ctx, id);
    if (!refund) throw new TypeError('The refund that was just stored does not exist.');
    return refund;
  });
}

/**
 * Beyond what one member of the staff may refund within a day, each refund needs their second factor: whoever splits an
 * amount gains nothing. Refunds of the same member wait for each other.
 */
async function verifyAmount(ctx: InTransaction, amountCents: Cents): Promise<void> {
  const { actor, tenant, clock } = ctx;
  if (actor.kind !== 'staff' || isVerified(ctx)) return;
  await lockName(ctx, 'refunds of staff', actor.id);
  const [day] = await ctx.tx.execute<{ cents: number }>(sql`
    select coalesce(sum(amount_cents), 0)::int8 as cents from payment_refunds
    where tenant_id = ${tenant.id} and requested_by = ${actor.id} and created_at > ${fromNow(clock, -days(1))}
      and state not in ('refused', 'failed')`);
  if ((day?.cents ?? 0) + amountCents > tenant.refundVerificationAboveCents) requireSecondFactor(ctx);
}

/** The pending refund with the same amount and reason. A refund of everything that is left cannot be repeated. */
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
 * What can still be refunded of an order, less the refunds that are pending. Call with the order locked.
 * @returns `undefined` where nothing can be refunded; 0 where only a gift card has paid what is left
 */
export async function leftToRefund(ctx: InTransaction, order: Order): Promise<Cents | undefined> {
  const isCharged = order.totalCents > 0;
  if (!order.isPaid || (isCharged && !order.paymentId) || order.importedAt || order.status === 'refunded')
    return undefined;
  const [open] = await ctx.tx.execute<{ count: number; cents: number }>(sql`
    select count(*)::int as count, coalesce(sum(amount_cents), 0)::int8 as cents from payment_refunds
    where tenant_id = ${ctx.tenant.id} and order_id = ${order.id} and state = 'requested'`);
  const left = order.totalCents - order.refundedCents - (open?.cents ?? 0);
  if (left > 0) return left;
  return open?.count ? undefined : 0;
}

/** What was refunded for a return already, though it does not say so: a backup was restored since. */
export async function refundedForReturn(
  ctx: InTransaction,
  { orderId, returnId }: { orderId: string; returnId: string },
): Promise<Cents> {
  const [made] = await ctx.tx.execute<{ cents: number }>(sql`
    select coalesce(sum(amount_cents), 0)::int8 as cents from payment_refunds
    where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and return_id = ${returnId} and state = 'sent'`);
  return made?.cents ?? 0;
}

function checkRefundAmount(order: Order, left: Cents | undefined, wanted: Cents | null): Cents {
  rejectUnpaidHere(order);
  if (order.totalCents > 0 && !order.paymentId) throw unpaidHere();
  if (left === undefined) throw refundNotAllowed('refunded', 'This order has been refunded in full already.');
  if (wanted === null || wanted === left) return left;
  if (wanted < left) return wholeSteps(wanted, chargeStepOf(order.currency));
  throw invalidRequest('The amount is more than is left to refund.', {
    path: '/amount_cents',
    code: 'maximum',
    detail: `must be at most ${left}`,
  });
}

/** The payment provider refunds only what it could charge, such as whole krónur. */
function wholeSteps(wanted: Cents, step: Cents): Cents {
  if (wanted % step === 0) return wanted;
  const detail = `must be a multiple of ${step}`;
  throw invalidRequest('The payment provider cannot refund a part of its smallest amount.', {
    path: '/amount_cents',
    code: 'multipleOf',
    detail,
  });
}

/** @throws DomainError `refund_not_allowed` for an order that was not paid, or elsewhere */
export function rejectUnpaidHere({ isPaid, importedAt }: Order): void {
  if (!isPaid || importedAt) throw unpaidHere();
}

const unpaidHere = () => refundNotAllowed('not_paid', 'This order was not paid here.');

const refundNotAllowed = (reason: 'not_paid' | 'refunded', message: string) =>
  new DomainError('conflict', 'refund_not_allowed', message, { extensions: { reason } });
