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
 * Reject events that could not be counted in time: those of the stores that send most. While no worker runs, as for a
 * moment in each release, events are accepted up to a larger limit: rejecting them would not make anything faster, and a
 * page that is being left does not send its events again.
 *
 * @throws DomainError `rate_limited`
 */
export async function rejectOverBacklog(ctx: Context): Promise<void> {
  const watch = watches.get(ctx.database) ?? new BacklogWatch();
  watches.set(ctx.database, watch);
  const { seconds: retryAfterSeconds, tenants } = await watch.wait(ctx);
  if (retryAfterSeconds === 0 || tenants?.has(ctx.tenant.id) === false) return;
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
  #wait: Promise<Wait> = Promise.resolve(none);

  /** Who has to wait before sending events, and how long. */
  wait(ctx: PlatformContext): Promise<Wait> {
    const now = ctx.clock.now().getTime();
    if (now - this.#checkedAt >= freshForMs) {
      this.#wait = this.#measure(ctx, now, this.#checkedAt);
      this.#checkedAt = now;
      this.#wait.catch(() => (this.#checkedAt = -Infinity));
    }
    return this.#wait;
  }

  async #measure(ctx: PlatformContext, now: number, checkedBefore: number): Promise<Wait> {
    const { oldestAt } = await readBacklog(ctx, { limit: 1 });
    const oldest = oldestAt?.getTime();
    if (this.#oldest !== undefined && (oldest ?? Infinity) > this.#oldest) this.#aggregatedAfter = checkedBefore;
    this.#oldest = oldest;
    if (oldest === undefined || now - oldest < behindMs) return none;
    if (now - this.#aggregatedAfter < behindMs) return { seconds: 1, tenants: await readBusiest(ctx) };
    const { batches, events } = await readBacklog(ctx);
    return batches >= batchesMax || events >= eventsMax ? { seconds: 5 } : none;
  }
}

interface Wait {
  /** 0 when the events are accepted. */
  readonly seconds: number;
  /** The stores that have to; by default all of them. */
  readonly tenants?: ReadonlySet<string>;
}

const none: Wait = { seconds: 0 };

/** The stores of which as many events wait as of the average one, or more: they are why those of others wait, too. */
async function readBusiest(ctx: PlatformContext): Promise<ReadonlySet<string>> {
  const busiest = await asPlatform(ctx, 'batches of all stores wait in one queue', (ctx) =>
    ctx.tx.execute<{ id: string }>(sql`
    select tenant_id as id from (
      select tenant_id, sum(event_count) as events, avg(sum(event_count)) over () as average
      from (
        select tenant_id, event_count from analytics_batches order by received_at limit ${batchesMax}) as waiting
      group by tenant_id) as stores
    where events >= average`),
  );
  return new Set(busiest.map(({ id }) => id));
}
