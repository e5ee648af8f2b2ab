import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';

/** A saved cart holds an email. A link out of reminders works for a year after it was sent. */
export const cartRetention: readonly Retention[] = [
  { table: 'carts', age: 'expires_at', retainedMs: days(30) },
  { table: 'saved_carts', age: 'expires_at', retainedMs: days(30) },
  { table: 'unsubscribe_links', age: 'created_at', retainedMs: days(365) },
];

/** Remove carts and saved carts that expired long ago, and old links out of reminders, of all stores. */
export async function pruneCarts(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, cartRetention);
}
