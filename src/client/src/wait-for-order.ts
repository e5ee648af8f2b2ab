import { ApiError } from './api-error.ts';
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
 * which can take days. A lost connection and errors that may pass (429, 5xx) are waited out.
 * @returns the last status, which may still be `pending`
 */
export async function waitForOrder(
  { getCheckoutStatus }: Pick<Storefront, 'getCheckoutStatus'>,
  orderId: string,
  { withinMs = 60_000, ...options }: WaitOptions = {},
): Promise<CheckoutStatus> {
  const endsAt = performance.now() + withinMs;
  const isLast = (waitMs: number) => performance.now() + waitMs > endsAt;
  for (;;) {
    let waitMs: number;
    try {
      const order = await getCheckoutStatus(orderId, options);
      waitMs = order.poll_after_ms;
      const isOpen = order.status === 'pending' && order.payment_status !== 'processing';
      if (!isOpen || isLast(waitMs)) return order;
    } catch (error) {
      if (!(error instanceof ApiError && mayPass(error))) throw error;
      waitMs = (error.retryAfter ?? 2) * 1000;
      if (isLast(waitMs)) throw error;
    }
    await pause(waitMs, options.signal);
  }
}

const mayPass = ({ code, status }: ApiError) => code === 'connection_failed' || status === 429 || status >= 500;
