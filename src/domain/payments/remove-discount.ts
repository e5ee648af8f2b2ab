import { minutes } from '#src/lib/duration.ts';
import { ProviderError, Snooze } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { openAccount } from './open-account.ts';
import { readSession } from './payment-session.ts';
import { providerFailureOf } from './trouble.ts';

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
