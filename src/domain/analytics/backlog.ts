import type { Database } from '#src/database/connections.ts';
import { asPlatform } from '#src/database/transact.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, PlatformContext } from '../context.ts';

/** What waits to be folded, of all stores. */
export interface Backlog {
  readonly batches: number;
  readonly events: number;
  readonly oldestAt: Date | null;
}

/** What may wait while nobody folds, such as during a release: about as much as one worker folds in half a minute. */
const batchesMax = 20_000;
const eventsMax = 500_000;

/** Counted up to the bound and no further. */
export async function readBacklog(ctx: PlatformContext, { limit = batchesMax } = {}): Promise<Backlog> {
  const [backlog] = await asPlatform(ctx, 'batches of every store wait in one line', (ctx) =>
    ctx.tx.execute<Backlog>(sql`
    select count(*)::int as batches, coalesce(sum(event_count), 0)::int as events, min(received_at) as "oldestAt"
    from (select event_count, received_at from analytics_batches order by received_at limit ${limit}) as waiting`),
  );
  return backlog ?? { batches: 0, events: 0, oldestAt: null };
}

/**
 * How long the oldest batch may have waited while somebody folds: what is taken in is to be counted within two seconds,
 * and by the time that a batch is this old, others have come behind it.
 */
const behindMs = 600;

/** How old an answer about the backlog may be. */
const freshForMs = 50;

const watches = new WeakMap<Database, BacklogWatch>();

/**
 * Refuse more while it could not be counted in time. Only while somebody folds: where nobody does, as for a moment in
 * every release, refusing would make nothing quicker, and what is told by pages that are being left is told once.
 *
 * @throws DomainError `rate_limited`
 */
export async function rejectOverBacklog(ctx: Context): Promise<void> {
  const watch = watches.get(ctx.database) ?? new BacklogWatch();
  watches.set(ctx.database, watch);
  const retryAfterSeconds = await watch.waitSeconds(ctx);
  if (retryAfterSeconds === 0) return;
  throw new DomainError(
    'too_many',
    'rate_limited',
    'More events wait than can be taken in. Send them again in a moment.',
    { retryAfterSeconds },
  );
}

/** What one process sees of the backlog. */
class BacklogWatch {
  #checkedAt = -Infinity;
  /** When the oldest batch came that waited at the last look. */
  #oldest: number | undefined;
  /** The last look at which a batch waited that was gone at the next. */
  #aggregatedAfter = -Infinity;
  #waitSeconds: Promise<number> = Promise.resolve(0);

  /** How long a sender is to wait; 0 for not at all. */
  waitSeconds(ctx: PlatformContext): Promise<number> {
    const now = ctx.clock.now().getTime();
    if (now - this.#checkedAt >= freshForMs) {
      this.#waitSeconds = this.#look(ctx, now, this.#checkedAt);
      this.#checkedAt = now;
      this.#waitSeconds.catch(() => (this.#checkedAt = -Infinity));
    }
    return this.#waitSeconds;
  }

  async #look(ctx: PlatformContext, now: number, checkedBefore: number): Promise<number> {
    const { oldestAt } = await readBacklog(ctx, { limit: 1 });
    const oldest = oldestAt?.getTime();
    if (this.#oldest !== undefined && (oldest ?? Infinity) > this.#oldest) this.#aggregatedAfter = checkedBefore;
    this.#oldest = oldest;
    if (oldest === undefined || now - oldest < behindMs) return 0;
    if (now - this.#aggregatedAfter < behindMs) return 1;
    const { batches, events } = await readBacklog(ctx);
    return batches >= batchesMax || events >= eventsMax ? 5 : 0;
  }
}
