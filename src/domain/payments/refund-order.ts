import { DomainError, notFound } from '#src/lib/errors.ts';
import type { Cents } from '#src/lib/money.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { readOne, transact } from '../database.ts';
import { applyAnswer } from './apply-answer.ts';
import { openAccount } from './open-account.ts';
import { asked } from './provider-refusals.ts';

export interface RefundRequest {
  readonly orderId: string;
  /** All that is left, unless an amount is named. */
  readonly amountCents?: Cents | null | undefined;
  /** Why, in the owner's words: for the audit log. */
  readonly reason?: string | null | undefined;
}

interface RefundableOrder {
  readonly paymentId: string | null;
  readonly totalCents: Cents;
  readonly refundedCents: Cents;
}

/**
 * Give money of an order back, and bring the order into line with what then is so. A refund is known by its order and
 * by what had gone back before it: one whose answer was lost and that is asked for again is made once.
 *
 * @throws DomainError not_found, conflict `return_not_allowed`, invalid, or what became of the provider
 */
export async function refundOrder(ctx: Context, { orderId, amountCents = null, reason }: RefundRequest): Promise<void> {
  const order = await readOne<RefundableOrder>(ctx, sql`
    select payment_id as "paymentId", total_cents as "totalCents", refunded_cents as "refundedCents" from orders
    where tenant_id = ${ctx.tenant.id} and id = ${orderId}`);
  if (!order) throw notFound('order');
  const leftCents = order.totalCents - order.refundedCents;
  if (!order.paymentId || leftCents === 0) {
    throw new DomainError('conflict', 'return_not_allowed', 'Nothing was paid for this order that could go back.');
  }
  if (amountCents !== null && (amountCents < 1 || amountCents > leftCents)) {
    throw new DomainError('invalid', 'invalid_request', `amount_cents must be from 1 to ${leftCents}.`);
  }

  const account = await openAccount(ctx);
  const askedAt = ctx.clock.now();
  const key = `refund:${orderId}:${order.refundedCents}:${amountCents ?? 'rest'}`;
  const { paymentId } = order;
  const payment = await asked(ctx.ports.payments.refundPayment(account, { paymentId, amountCents }, key, ctx.signal));
  await transact(ctx, async (ctx) => {
    await applyAnswer(ctx, { subject: 'payment', payment, askedAt });
    const after = { amount_cents: amountCents ?? leftCents, reason: reason ?? null };
    await recordAudit(ctx, { action: 'order.refunded', subjectKind: 'order', subjectId: orderId, after });
  });
}
