import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';

export const confirmationRetention: readonly Retention[] = [
  { table: 'one_time_passwords', age: 'created_at', retainedMs: days(7) },
];

/** Remove expired one-time passwords of all stores. */
export async function pruneCodes(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, confirmationRetention);
}
