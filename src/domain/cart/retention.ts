import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';

/** Unsubscribe links work for a year after they were sent. */
export const cartRetention: readonly Retention[] = [
  { table: 'carts', age: 'expires_at', retainedMs: days(30) },
  { table: 'saved_carts', age: 'expires_at', retainedMs: days(30) },
  { table: 'unsubscribe_links', age: 'created_at', retainedMs: days(365) },
];

/** Remove expired carts and saved carts, and old unsubscribe links, of all stores. */
export async function pruneCarts(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, cartRetention);
}
