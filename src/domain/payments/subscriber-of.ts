import type { Order } from '../orders/index.ts';
import type { Subscriber } from '../subscriptions/index.ts';

/** Whose a subscription is that this order began. */
export function subscriberOf({ id, customerId, email }: Order): Subscriber {
  return { orderId: id, customerId: customerId ?? null, email: email ?? null };
}
