import type { SellingTerms, Subscribing } from '../payments/index.ts';
import type { OrderPlan } from './plan-order.ts';

/** What the caller's address would be subscribed to. Who did not say who they are may subscribe as often as they like. */
export function subscribingOf({ order }: OrderPlan, email: string | null): Subscribing | null {
  const productIds = order.items
    .filter(({ purchaseType }) => purchaseType === 'subscription')
    .map(({ productId }) => productId);
  return email && productIds.length > 0 ? { subscriber: email, productIds } : null;
}

/**
 * The orders whose sessions have to be closed first: the caller's older one, and those, of whatever cart, by which their
 * address would be subscribed to the same thing twice.
 */
export function conflictingSessions(
  { liveOrderId, subscribingSessions }: SellingTerms,
  subscribing: Subscribing | null,
): Set<string> {
  const twice = subscribingSessions.filter((other) =>
    other.productIds.some((id) => subscribing?.productIds.includes(id)),
  );
  return new Set([...(liveOrderId ? [liveOrderId] : []), ...twice.map(({ orderId }) => orderId)]);
}
