import { hmacSha256 } from '#src/lib/crypto.ts';
import type { InTransaction } from '../context.ts';
import { paidType } from './event-input.ts';
import { storeBatch } from './store-batch.ts';

/** A sale, as the transaction that makes it one knows it. */
export interface Sale {
  readonly orderId: string;
  /** Minor units of `currency`. */
  readonly totalCents: number;
  readonly currency: string;
  readonly customerId?: string | null;
  readonly cartId?: string | null;
  /** The storefront's session that bought; where nobody knows it, the order is a session of its own. */
  readonly sessionId?: string | null;
  /** A subscription went on by itself: revenue, and no step of a funnel. */
  readonly isRenewal?: boolean | undefined;
}

/**
 * Record in the numbers that an order was paid, in the transaction that makes it so. This alone is revenue. An order
 * is counted once, however often this is called.
 */
export async function recordOrderPaid(ctx: InTransaction, sale: Sale): Promise<void> {
  const { orderId, totalCents, currency, customerId, cartId, sessionId, isRenewal } = sale;
  const receivedAt = ctx.clock.now();
  await storeBatch(ctx, { receivedAt, source: 'ledger', bot: false, visitor: isRenewal ? null : orderId }, [
    {
      // Nobody else can know this id, so nobody can use it up beforehand.
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
