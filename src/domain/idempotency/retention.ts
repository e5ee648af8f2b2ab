import type { Retention } from '#src/lib/retention.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';
import { storedMs } from './claim-request.ts';

export const requestRetention: readonly Retention[] = [
  { table: 'idempotency_keys', age: 'created_at', retainedMs: storedMs },
];

/** Remove the idempotent requests of yesterday, of all stores. */
export async function pruneRequests(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, requestRetention);
}
