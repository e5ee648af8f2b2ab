import { minutes } from '#src/lib/duration.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import type { Context, InTransaction } from '../../context.ts';
import { lockOrder } from '../../orders/index.ts';
import { openAccount } from '../accounts/open-account.ts';
import { endOrder } from '../orders/close-order.ts';
import { providerFailureOf } from '../provider-calls.ts';
import { markOver, type PaymentSession, readSession } from './payment-session.ts';

/**
 * End a session without a snapshot of it, close its order and release the holds. A session whose state changed
 * meanwhile, because it was opened or paid, stays as it is.
 *
 *   expired    it can no longer be paid, or the provider cannot be reached for good
 *   canceled   it could not be created
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
 * Remove the discount that was made at the provider for a session that is over. What was paid with it stays as it is.
 * Where the account no longer opens the discount stays, too: it was valid for one payment and some hours.
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
