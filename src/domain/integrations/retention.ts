import { days } from '#src/lib/duration.ts';
import type { Retention } from '#src/lib/retention.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { removeExpired } from '../remove-expired.ts';

/** How long handled calls and expired connections are stored. Pending calls and completed connections stay. */
export const integrationRetention: readonly Retention[] = [
  { table: 'integration_calls', age: 'received_at', retainedMs: days(30), only: sql`old.state <> 'received'` },
  { table: 'integration_connections', age: 'expires_at', retainedMs: days(30), only: sql`old.received_at is null` },
];

/** Delete old calls and expired connections, for all stores. */
export async function pruneIntegrations(ctx: PlatformContext): Promise<void> {
  await removeExpired(ctx, integrationRetention);
}
