import { Bulkhead } from '#src/lib/bulkhead.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import type { Database } from './connections.ts';

type Pool = Database['pool'];

const bulkheads = new WeakMap<Pool, Bulkhead>();

/**
 * Do a read that holds a connection of this pool. The reads of one tenant hold at most half of the pool together, so
 * that however slow they are the other tenants find a connection.
 * @throws Snooze when no connection of the tenant's half is free in time
 */
export function withinShare<Result>(pool: Pool, tenantId: string, read: () => Promise<Result>): Promise<Result> {
  let bulkhead = bulkheads.get(pool);
  if (!bulkhead) {
    bulkhead = new Bulkhead({
      max: Math.max(1, Math.floor(pool.options.max / 2)),
      waitMs: seconds(2),
      errorWhenFull: () => new Snooze(seconds(1), 'The store is very busy. Try again in a moment.'),
    });
    bulkheads.set(pool, bulkhead);
  }
  return bulkhead.run(tenantId, read);
}
