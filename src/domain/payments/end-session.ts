import type { InTransaction } from '../context.ts';
import { lockOrder } from '../orders/index.ts';
import { endOrder } from './end-order.ts';
import { markOver, type PaymentSession } from './payment-session.ts';

/**
 * A session is over without the provider's word, and its order with it: what that held is given back. Only where it is
 * still as it was found: one that was answered or paid meanwhile stays as it is.
 *
 *   expired    nobody can pay it any more, or can be asked about it
 *   canceled   it could not be made
 */
export async function endSession(
  ctx: InTransaction,
  session: PaymentSession,
  how: 'expired' | 'canceled',
): Promise<void> {
  const order = await lockOrder(ctx, session.orderId);
  if (!(await markOver(ctx, session, how === 'canceled' ? 'failed' : 'expired'))) return;
  if (order) await endOrder(ctx, order, how);
}
