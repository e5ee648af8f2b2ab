import { isDeepStrictEqual } from 'node:util';
import type { InTransaction } from '../context.ts';
import type { ShippingAddress } from '../orders/index.ts';
import { recordChange } from './apply-subscription.ts';
import { lockSubscriptions } from './subscription.ts';

/**
 * Send the next parcels of a subscription to another address: of all its items, which are one subscription at the
 * provider. Call with the order locked that began it, as renewals are created.
 */
export async function changeAddress(
  ctx: InTransaction,
  paymentSubscriptionId: string,
  address: ShippingAddress,
): Promise<void> {
  for (const row of await lockSubscriptions(ctx, { paymentSubscriptionId })) {
    if (row.status === 'canceled' || isDeepStrictEqual(row.shippingAddress, address)) continue;
    row.shippingAddress = address;
    recordChange(ctx, row);
  }
  await ctx.tx.em.flush();
}
