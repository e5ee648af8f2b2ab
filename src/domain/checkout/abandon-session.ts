import { transact } from '#src/database/transact.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import type { Context } from '../context.ts';
import { lockOrder } from '../orders/index.ts';
import { endOrder, markSuperseded } from '../payments/index.ts';

/** Longer than any request lasts: a session that is still without an answer then belongs to a request that failed. */
const requestMs = seconds(30);

/** How long a request that names itself can be sent again to continue the order that an earlier try began. */
export const continuableMs = minutes(10);

/** How long after it was written a session without an answer is abandoned. */
export const abandonedAfterMs = ({ requestKey }: { readonly requestKey: string | null }): number =>
  requestKey === null ? requestMs : continuableMs;

/**
 * Release what the order of an unanswered session holds. Its payment page cannot be paid: the URL was never returned
 * to the shopper, and from here on it will not be. The session itself is closed by its repair, once the provider tells
 * whether it exists.
 *
 * `'changed'` when the session has been answered just now.
 */
export async function abandonSession(ctx: Context, orderId: string): Promise<'gone' | 'changed'> {
  return transact(ctx, async (ctx) => {
    const order = await lockOrder(ctx, orderId);
    if (!(await markSuperseded(ctx, orderId))) return 'changed';
    if (order) await endOrder(ctx, order, 'expired');
    return 'gone';
  });
}
