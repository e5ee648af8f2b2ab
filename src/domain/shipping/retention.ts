import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';

export const shippingRetention: readonly Retention[] = [
  { table: 'shipping_notifications', age: 'received_at', retainedMs: days(30) },
];

/** Remove notifications of the shipping provider that nothing needs any more, of all stores. */
export async function pruneNotifications(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, shippingRetention);
}
