import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import type { Database } from './connections.ts';

type Pool = Database['pool'];

/** The reads of one tenant on one pool. */
interface Share {
  running: number;
  /** In the order in which they came; each is called when its turn has come. */
  readonly waiting: Set<() => void>;
}

const shares = new WeakMap<Pool, Map<string, Share>>();
const waitMs = seconds(2);

/**
 * Do a read that holds a connection of this pool. Those of one tenant hold half of the pool together at most, so that
 * however slow they are the other tenants find a connection. What comes beyond that waits for its turn, briefly.
 * @throws Snooze where its turn has not come by then
 */
export async function withinShare<Result>(pool: Pool, tenantId: string, read: () => Promise<Result>): Promise<Result> {
  const byTenant = shares.get(pool) ?? new Map<string, Share>();
  const share = byTenant.get(tenantId) ?? { running: 0, waiting: new Set() };
  shares.set(pool, byTenant.set(tenantId, share));
  if (share.running < Math.max(1, Math.floor(pool.options.max / 2))) share.running += 1;
  else await waitForTurn(share);
  try {
    return await read();
  } finally {
    const [next] = share.waiting;
    if (next) next();
    else share.running -= 1;
    if (share.running === 0) byTenant.delete(tenantId);
  }
}

function waitForTurn({ waiting }: Share): Promise<void> {
  return new Promise((resolve, reject) => {
    const begin = (): void => {
      waiting.delete(begin);
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      waiting.delete(begin);
      reject(new Snooze(seconds(1), 'The reads of this store hold their share of the connections.'));
    }, waitMs);
    waiting.add(begin);
  });
}
