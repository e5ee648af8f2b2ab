import type { InTransaction } from '../context.ts';
import type { Attention, Order } from '../orders/index.ts';
import type { SubscriptionSnapshot } from '../ports/payment-snapshots.ts';
import { liveSubscriptions } from '../subscriptions/index.ts';
import { flagAttention } from './raise-attention.ts';

const subscribedTwice: Attention = {
  code: 'duplicate_subscription',
  detail: 'The shopper subscribed to the same thing twice, and paid for both.',
};

/**
 * A session whose money is slow is paid days after its shopper was done with it, who may have checked out again
 * meanwhile: then the address is subscribed to the same thing twice, which only a person can undo. Call when the order
 * was paid in this transaction: that locks the customer, so of two that are paid at once the second sees the first.
 */
export async function flagDuplicate(
  ctx: InTransaction,
  order: Order,
  { subscriptionId, items }: SubscriptionSnapshot,
  email: string,
): Promise<void> {
  const productIds = items.flatMap(({ productId }) => productId ?? []);
  const live = await liveSubscriptions(ctx, { email, productIds });
  if (live.every(({ paymentSubscriptionId }) => paymentSubscriptionId === subscriptionId)) return;
  await flagAttention(ctx, order, subscribedTwice);
}
