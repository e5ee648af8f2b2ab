import { hmacSha256 } from '#src/lib/crypto.ts';
import type { InTransaction } from '../context.ts';
import { paidType } from './event-types.ts';
import { storeBatch } from './store-batch.ts';

/** A sale, as the transaction that makes it one knows it. */
export interface PaidOrder {
  readonly orderId: string;
  /** Minor units of `currency`. */
  readonly totalCents: number;
  readonly currency: string;
  readonly customerId?: string | null;
  readonly cartId?: string | null;
  /** The storefront's session that filled the cart; without one the order is a session of its own. */
  readonly sessionId?: string | null;
}

/**
 * Record in the numbers that an order was paid, in the transaction that makes it so. This alone is revenue. An order
 * is counted once, however often this is called.
 */
export async function recordOrderPaid(ctx: InTransaction, order: PaidOrder): Promise<void> {
  const { orderId, totalCents, currency, customerId, cartId, sessionId } = order;
  const receivedAt = ctx.clock.now();
  // Nobody else can know the id, so nobody can use it up beforehand.
  const id = hmacSha256(ctx.settings.keyPepper, JSON.stringify([paidType, ctx.tenant.id, orderId])).toString('hex').slice(0, 32);
  await storeBatch(ctx, { receivedAt, source: 'ledger', bot: false, visitor: orderId }, [{
    id, at: receivedAt, type: paidType, session_id: sessionId, customer_id: customerId, order_id: orderId, cart_id: cartId,
    value_cents: totalCents, currency,
  }]);
}
