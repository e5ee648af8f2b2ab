import { seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, PlatformContext } from '../context.ts';
import { asPlatform, type Database } from '../database.ts';

/** What waits to be folded, of all stores. */
export interface Backlog {
  readonly batches: number;
  readonly events: number;
  readonly oldestAt: Date | null;
}

/** About as much as one worker folds in half a minute. Beyond it, pages that send more would only wait the longer. */
const batchesMax = 20_000;
const eventsMax = 500_000;
const retryAfterSeconds = 5;

/** How old an answer about the backlog may be: one look a second and process is nothing. */
const freshForMs = seconds(1);

/** What each process knows, by its connections. */
const known = new WeakMap<Database, { lookedAt: number; isFull: Promise<boolean> }>();

/**
 * Refuse more while more waits than can soon be folded.
 * @throws DomainError `rate_limited`
 */
export async function refuseOverBacklog(ctx: Context): Promise<void> {
  const now = ctx.clock.now().getTime();
  let look = known.get(ctx.database);
  if (!look || now - look.lookedAt >= freshForMs) {
    look = { lookedAt: now, isFull: isFull(ctx) };
    known.set(ctx.database, look);
    look.isFull.catch(() => known.delete(ctx.database));
  }
  if (!(await look.isFull)) return;
  throw new DomainError('too_many', 'rate_limited', 'More events wait than can be taken in. Send them again in a moment.', { retryAfterSeconds });
}

/** Counted up to the bound and no further. */
export async function readBacklog(ctx: PlatformContext): Promise<Backlog> {
  const [backlog] = await asPlatform(ctx, 'batches of every store wait in one line', (ctx) => ctx.tx.run<Backlog>(sql`
    select count(*)::int as batches, coalesce(sum(event_count), 0)::int as events, min(received_at) as "oldestAt"
    from (select event_count, received_at from analytics_batches order by received_at limit ${batchesMax}) as waiting`));
  return backlog ?? { batches: 0, events: 0, oldestAt: null };
}

async function isFull(ctx: Context): Promise<boolean> {
  const { batches, events } = await readBacklog(ctx);
  return batches >= batchesMax || events >= eventsMax;
}
