import { notFound } from '#src/lib/errors.ts';
import { BooleanLike, Id, Omittable, type Static, Type } from '#src/lib/schema.ts';
import type { Context } from '../context.ts';
import { manageSubscription } from '../payments/index.ts';
import { readSubscription, type SubscriptionView } from '../subscriptions/index.ts';
import type { SignedInCustomer } from './portal.ts';

export const CancelInput = Type.Object({
  subscription_id: Id('sub'),
  at_period_end: Omittable(BooleanLike({ description: 'At the end of the paid period (the default), or at once.' })),
});
export type CancelInput = Static<typeof CancelInput>;

/**
 * Cancel one of the customer's subscriptions at the payment provider.
 * @throws DomainError `not_found`, also for another customer's; `subscription_canceled`; or an error of the provider
 */
export async function cancelOwnSubscription(
  ctx: Context,
  customer: SignedInCustomer,
  input: CancelInput,
): Promise<SubscriptionView> {
  const subscription = await readSubscription(ctx, input.subscription_id);
  if (subscription?.customer.email !== customer.email) throw notFound('subscription');
  return manageSubscription(ctx, subscription.id, { action: 'cancel', at_period_end: input.at_period_end ?? true });
}
