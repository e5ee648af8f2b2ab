import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';

/**
 * So long it can still be said what became of a link or a session. A token that was exchanged over 30 days ago could not
 * have been used any more, stolen or not.
 */
export const sessionRetention: readonly Retention[] = [
  { table: 'sign_in_links', age: 'expires_at', retainedMs: days(7) },
  { table: 'sessions', age: 'refresh_expires_at', retainedMs: days(7) },
  { table: 'refresh_tokens', age: 'rotated_at', retainedMs: days(37) },
];

/** Remove links, sessions and tokens that open nothing any more, of all stores. */
export async function pruneSessions(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, sessionRetention);
}
