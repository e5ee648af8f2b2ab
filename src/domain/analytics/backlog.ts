import type { Database } from '#src/database/connections.ts';
import { asPlatform } from '#src/database/transact.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, PlatformContext } from '../context.ts';

/** The batches of all stores that wait to be aggregated. */
export interface Backlog {
  readonly batches: number;
  readonly events: number;
  readonly oldestAt: Date | null;
}

/** What may wait while no worker runs, such as during a release: about half a minute's work of one worker. */
const batchesMax = 20_000;
const eventsMax = 500_000;

/** Count the backlog, up to the limit. */
export async function readBacklog(ctx: PlatformContext, { limit = batchesMax } = {}): Promise<Backlog> {
  const [backlog] = await asPlatform(ctx, 'batches of all stores wait in one queue', (ctx) =>
    ctx.tx.execute<Backlog>(sql`
    select count(*)::int as batches, coalesce(sum(event_count), 0)::int as events, min(received_at) as "oldestAt"
    from (select event_count, received_at from analytics_batches order by received_at limit ${limit}) as waiting`),
  );
  return backlog ?? { batches: 0, events: 0, oldestAt: null };
}

/**
 * How old the oldest batch may be while a worker runs. Events are to be counted within two seconds, and when a batch is
 * this old, others wait behind it.
 */
const behindMs = 600;

/** How long a measurement of the backlog is reused. */
const freshForMs = 50;

const watches = new WeakMap<Database, BacklogWatch>();

/**
 * Reject events that could not be counted in time. While no worker runs, as for a moment in each release, events are
 * accepted up to a larger limit: rejecting them would not make anything faster, and a page that is being left does not
 * send its events again.
 *
 * @throws DomainError `rate_limited`
 */
export async function rejectOverBacklog(ctx: Context): Promise<void> {
  const watch = watches.get(ctx.database) ?? new BacklogWatch();
  watches.set(ctx.database, watch);
  const retryAfterSeconds = await watch.waitSeconds(ctx);
  if (retryAfterSeconds === 0) return;
  throw new DomainError('too_many', 'rate_limited', 'Too many events are waiting. Send these again in a moment.', {
    retryAfterSeconds,
  });
}

/** One process's measurements of the backlog. */
class BacklogWatch {
  #checkedAt = -Infinity;
  /** When the oldest batch of the last measurement was received. */
  #oldest: number | undefined;
  /** The last measurement with a batch that was gone at the next one: proof that a worker was running. */
  #aggregatedAfter = -Infinity;
  #waitSeconds: Promise<number> = Promise.resolve(0);

  /** @returns how long the sender has to wait; 0 when the events are accepted */
  waitSeconds(ctx: PlatformContext): Promise<number> {
    const now = ctx.clock.now().getTime();
    if (now - this.#checkedAt >= freshForMs) {
      this.#waitSeconds = this.#measure(ctx, now, this.#checkedAt);
      this.#checkedAt = now;
      this.#waitSeconds.catch(() => (this.#checkedAt = -Infinity));
    }
    return this.#waitSeconds;
  }

  async #measure(ctx: PlatformContext, now: number, checkedBefore: number): Promise<number> {
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
