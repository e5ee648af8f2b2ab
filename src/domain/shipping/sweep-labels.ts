import { checkPurchases as checkPurchasesJob } from '#jobs/labels.ts';
import { asPlatform } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { PlatformContext } from '../context.ts';

/** How many rows one round takes; the next round takes the rest. */
const batchSize = 500;

interface Due {
  readonly tenantId: string;
  readonly id: string;
  readonly number: number;
}

/** A look that came to nothing is made again after this long, at most so often. */
const recheckAgainMs = hours(1);
const rechecksMax = 48;

/** Promise a second look at every label that is due for one. */
export async function sweepLabels(ctx: PlatformContext): Promise<void> {
  await asPlatform(ctx, 'labels of every store are looked at again', async (ctx) => {
    const due = await ctx.tx.execute<Due>(sql`
      update labels set rechecks = rechecks + 1,
        recheck_at = case when rechecks < ${rechecksMax} then ${fromNow(ctx.clock, recheckAgainMs)}::timestamptz end
      where (tenant_id, id) in (
        select tenant_id, id from labels where recheck_at <= ${ctx.clock.now()}
        order by recheck_at limit ${batchSize} for update skip locked)
      returning tenant_id as "tenantId", id, rechecks as number`);
    for (const { tenantId, id, number } of due) {
      enqueue({ ...ctx, tenant: { id: tenantId } }, checkPurchasesJob, { labelId: id, number });
    }
  });
}
