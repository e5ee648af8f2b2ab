import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { removeKept } from '#src/outbox/runs.ts';
import type { PlatformContext } from '../context.ts';
import { removeInPortions } from '../remove-in-portions.ts';

/** So long a promise that was kept is known, so that the same one made again is recognised (protocols.md §1). */
const promisesKeptMs = days(7);
/** A day longer than the deliveries, which are what an event is kept for. */
const eventsKeptMs = days(31);

/** Forget promises that were kept, and events that nobody can be told of again. What was given up stays for a person. */
export async function pruneOutbox(ctx: PlatformContext): Promise<void> {
  const keptBefore = fromNow(ctx.clock, -promisesKeptMs);
  await removeInPortions(ctx, 'promises of all stores that were kept are removed', (limit) => removeKept(keptBefore, limit));
  const recordedBefore = fromNow(ctx.clock, -eventsKeptMs);
  await removeInPortions(ctx, 'events of all stores that nobody is told of any more are removed', (limit) => sql`
    delete from events where (tenant_id, id) in (
      select e.tenant_id, e.id from events e
      where e.created_at < ${recordedBefore} and not exists (
        select from webhook_deliveries d where d.tenant_id = e.tenant_id and d.event_id = e.id)
      limit ${limit})
    returning id`);
}
