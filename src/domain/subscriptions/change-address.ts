import { isDeepStrictEqual } from 'node:util';
import { LockMode } from '@mikro-orm/core';
import type { InTransaction } from '../context.ts';
import type { ShippingAddress } from '../orders/index.ts';
import { recordChange } from './apply-subscription.ts';
import { Subscription } from './subscription.ts';

/**
 * Send the next parcels of a subscription to another address: of all its items, which are one subscription at the
 * provider. Call with the order locked that began it, as renewals are created.
 */
export async function changeAddress(
  ctx: InTransaction,
  paymentSubscriptionId: string,
  address: ShippingAddress,
): Promise<void> {
  const rows = await ctx.tx.em.find(
    Subscription,
    { tenantId: ctx.tenant.id, paymentSubscriptionId, status: { $ne: 'canceled' } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, orderBy: { id: 'asc' } },
  );
  for (const row of rows) {
    if (isDeepStrictEqual(row.shippingAddress, address)) continue;
    row.shippingAddress = address;
    recordChange(ctx, row);
  }
  await ctx.tx.em.flush();
}
