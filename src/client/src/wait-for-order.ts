import type { CheckoutStatus } from './generated/api.ts';
import type { RequestOptions } from './operation.ts';
import { pause } from './retry.ts';
import type { Storefront } from './storefront.ts';

export interface WaitOptions extends RequestOptions {
  /** Default: a minute. */
  readonly withinMs?: number;
}

/**
 * Waits on the page to which a shopper returns until the payment has succeeded or failed, or its bank moves the money,
 * which can take days.
 * @returns the last status, which may still be `pending`
 */
export async function waitForOrder(
  { getCheckoutStatus }: Pick<Storefront, 'getCheckoutStatus'>,
  orderId: string,
  { withinMs = 60_000, ...options }: WaitOptions = {},
): Promise<CheckoutStatus> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const order = await getCheckoutStatus(orderId, options);
    const isOpen = order.status === 'pending' && order.payment_status !== 'processing';
    if (!isOpen || performance.now() + order.poll_after_ms > endsAt) return order;
    await pause(order.poll_after_ms, options.signal);
  }
}
