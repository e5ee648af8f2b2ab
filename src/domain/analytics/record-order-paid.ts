import { hmacSha256 } from '#src/lib/crypto.ts';
import type { InTransaction } from '../context.ts';
import { paidType } from './event-input.ts';
import { storeBatch } from './store-batch.ts';

/** A paid order. */
export interface Sale {
  readonly orderId: string;
  /** Minor units of `currency`. */
  readonly totalCents: number;
  readonly currency: string;
  readonly customerId?: string | null;
  readonly cartId?: string | null;
  /** The buyer's storefront session. If it is unknown, the order counts as a session of its own. */
  readonly sessionId?: string | null;
  /** A subscription's renewal is revenue, but not a step of the funnel. */
  readonly isRenewal?: boolean | undefined;
}

/**
 * Record a paid order for the analytics, in the transaction that marks it as paid. Only these events count as revenue.
 * Idempotent for each order.
 */
export async function recordOrderPaid(ctx: InTransaction, sale: Sale): Promise<void> {
  const { orderId, totalCents, currency, customerId, cartId, sessionId, isRenewal } = sale;
  const receivedAt = ctx.clock.now();
  await storeBatch(ctx, { receivedAt, source: 'ledger', bot: false, visitor: isRenewal ? null : orderId }, [
    {
      // The id is secret, so a client cannot send an event with it beforehand.
      id: hmacSha256(ctx.settings.keyPepper, JSON.stringify([paidType, ctx.tenant.id, orderId]))
        .toString('hex')
        .slice(0, 32),
      at: receivedAt,
      type: paidType,
      session_id: isRenewal ? null : sessionId,
      customer_id: customerId,
      order_id: orderId,
      cart_id: cartId,
      value_cents: totalCents,
      currency,
    },
  ]);
}
