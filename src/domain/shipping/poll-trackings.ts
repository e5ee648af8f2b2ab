import { reconcileTracking as reconcileTrackingJob } from '#jobs/labels.ts';
import { asPlatform } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { PlatformContext } from '../context.ts';
import { pollEveryMs } from './begin-tracking.ts';

/** How many parcels one round enqueues; the next round takes the rest. */
const batchSize = 500;

/** A parcel that has not arrived after this long is no longer asked about. */
const pollForMs = days(60);

/** Promise a look at every parcel that is on its way and was not asked about for a while. */
export async function pollTrackings(ctx: PlatformContext): Promise<void> {
  await asPlatform(ctx, 'parcels of every store are asked about', async (ctx) => {
    const now = ctx.clock.now();
    const due = await ctx.tx.execute<{ tenantId: string; id: string; number: number }>(sql`
      update trackings set polls = polls + 1,
        next_poll_at = case when created_at > ${fromNow(ctx.clock, -pollForMs)} then ${fromNow(ctx.clock, pollEveryMs)}::timestamptz end
      where (tenant_id, id) in (
        select tenant_id, id from trackings where next_poll_at <= ${now}
        order by next_poll_at limit ${batchSize} for update skip locked)
      returning tenant_id as "tenantId", id, polls as number`);
    for (const { tenantId, id, number } of due) {
      enqueue({ ...ctx, tenant: { id: tenantId } }, reconcileTrackingJob, { trackingId: id, number });
    }
  });
}
