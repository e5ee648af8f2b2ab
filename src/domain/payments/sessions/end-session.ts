import { minutes } from '#src/lib/duration.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import type { Context, InTransaction } from '../../context.ts';
import { lockOrder } from '../../orders/index.ts';
import { openAccount } from '../accounts/open-account.ts';
import { endOrder } from '../orders/close-order.ts';
import { providerFailureOf } from '../provider-calls.ts';
import { markOver, type PaymentSession, readSession } from './payment-session.ts';

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

const waitMs = minutes(10);

/**
 * Take away the discount that was made at the provider for the session of an order, which is over. What was paid with it
 * stays as it is. Where the provider does not let us in any more it stays: it was good for one payment and some hours.
 */
export async function removeDiscount(ctx: Context, { orderId }: { orderId: string }): Promise<void> {
  const session = await readSession(ctx, orderId);
  if (!session || session.request.discountCents === 0) return;
  try {
    await ctx.ports.payments.removeDiscount(await openAccount(ctx), orderId, ctx.signal);
  } catch (error) {
    const failure = providerFailureOf(error);
    const mayPass = failure instanceof ProviderError && (failure.failure === 'away' || failure.failure === 'busy');
    if (mayPass) throw new Snooze(waitMs, failure.message);
  }
}
