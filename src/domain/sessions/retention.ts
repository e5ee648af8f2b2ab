import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';

/**
 * How long links and sessions are stored after they expire. A token exchanged over 30 days ago has expired, so its reuse
 * need not be detected any more.
 */
export const sessionRetention: readonly Retention[] = [
  { table: 'sign_in_links', age: 'expires_at', retainedMs: days(7) },
  { table: 'sessions', age: 'refresh_expires_at', retainedMs: days(7) },
  { table: 'refresh_tokens', age: 'rotated_at', retainedMs: days(37) },
];

/** Delete expired links, sessions and tokens, for all stores. */
export async function pruneSessions(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, sessionRetention);
}
