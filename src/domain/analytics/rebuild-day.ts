import { rebuildDay as rebuildDayJob } from '#jobs/analytics.ts';
import { completeJob } from '#src/database/transact.ts';
import { addDays, type Day, dayOf, eachDay, startOfDay } from '#src/lib/calendar.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { aggregateAlone } from './aggregate-chosen.ts';
import { lateDaysMax } from './correct-clock.ts';
import { eventsRetainedDays } from './retention.ts';
import { rollUp } from './roll-up.ts';

/**
 * Enqueue a job for each of these days, both included, that recalculates its roll-ups.
 * @throws DomainError `invalid_request` for days whose events have been deleted
 */
export function requestRebuild(ctx: InTransaction, { from, to }: { from: Day; to: Day }): void {
  rejectExpiredDays(ctx, from);
  const version = ctx.clock.now().getTime();
  for (const day of eachDay(from, to)) enqueue(ctx, rebuildDayJob, { day, version });
}

/**
 * Recalculate the roll-ups of one store's day from its events. The exclusive lock stops aggregation meanwhile, so that
 * no event is counted twice or left out. Batches that still wait are added later, as always.
 */
export async function rebuildDay(ctx: Context, { day }: { day: Day }): Promise<void> {
  rejectExpiredDays(ctx, day);
  const [begin, end] = [startOfDay(day), startOfDay(addDays(day, 1))];
  await completeJob(ctx, async (ctx) => {
    const { id } = ctx.tenant;
    await ctx.tx.execute(sql`select ${aggregateAlone}`);
    await ctx.tx.execute(
      sql`delete from analytics_hours where tenant_id = ${id} and hour >= ${begin} and hour < ${end}`,
    );
    await ctx.tx.execute(sql`delete from analytics_days where tenant_id = ${id} and day = ${day}`);
    await ctx.tx.execute(sql`delete from analytics_sessions where tenant_id = ${id} and day = ${day}`);
    await ctx.tx.execute(sql`
      with source as (
        select * from analytics_events
        where tenant_id = ${id} and occurred_at >= ${begin} and occurred_at < ${end}
          and received_on >= ${day}::date and received_on <= ${addDays(day, lateDaysMax + 1)}::date),
      ${rollUp(sql`source`)}
      select 1`);
  });
}

function rejectExpiredDays(ctx: Context, day: Day): void {
  if (day >= addDays(dayOf(ctx.clock.now()), -eventsRetainedDays)) return;
  throw invalidRequest(`Events are stored for ${eventsRetainedDays} days. Older days cannot be recalculated.`);
}
