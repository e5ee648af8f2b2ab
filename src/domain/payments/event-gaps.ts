import { scanEventGap as scanEventGapJob } from '#jobs/payments.ts';
import { readOne, transact } from '#src/database/transact.ts';
import { fromNow, type TimeRange } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction, PlatformContext } from '../context.ts';
import { payableFrom } from './objects-of.ts';

/** How long a gap that was looked through is still told of. */
const shownMs = days(30);

/** A stretch of time whose events the provider had forgotten before they were taken in. */
export interface EventGap {
  readonly tenantId: string;
  readonly from: Date;
  readonly to: Date;
  /** When all that the provider's objects tell of it was looked at; null while that is under way. */
  readonly finishedAt: Date | null;
}

/** Say that the events of this stretch are gone, once, and promise to look through the objects instead. */
export async function recordGap(ctx: Context, { from, to }: TimeRange): Promise<void> {
  const isNew = await transact(ctx, async (ctx) => {
    const [moved] = await ctx.tx.execute(sql`
      update payment_accounts set events_swept_to = ${to}
      where tenant_id = ${ctx.tenant.id} and coalesce(events_swept_to, created_at) = ${from} returning 1`);
    if (!moved) return false;
    const gapId = newId('gap');
    await ctx.tx.execute(sql`
      insert into payment_event_gaps (tenant_id, id, lost_from, lost_to, scanned_to, created_at)
      values (${ctx.tenant.id}, ${gapId}, ${from}, ${to}, ${payableFrom(from)}, ${ctx.clock.now()})`);
    enqueue(ctx, scanEventGapJob, { gapId, number: 1 });
    return true;
  });
  if (isNew)
    ctx.log.error(
      { code: 'payment_events_forgotten', from, to },
      'the payment provider has forgotten events that were never taken in',
    );
}

/** What of a gap is left to look through, from the sessions before it on; `undefined` when nothing is. */
export async function readGap(
  ctx: Context,
  gapId: string,
): Promise<(TimeRange & { readonly lostFrom: Date }) | undefined> {
  return readOne<TimeRange & { lostFrom: Date }>(
    ctx,
    sql`
    select scanned_to as from, lost_to as to, lost_from as "lostFrom" from payment_event_gaps
    where tenant_id = ${ctx.tenant.id} and id = ${gapId} and finished_at is null`,
  );
}

/** It was looked through up to here. */
export async function advanceGap(ctx: InTransaction, gapId: string, scannedTo: Date): Promise<void> {
  await ctx.tx.execute(sql`
    update payment_event_gaps set scanned_to = ${scannedTo},
      finished_at = case when lost_to <= ${scannedTo} then ${ctx.clock.now()}::timestamptz end
    where tenant_id = ${ctx.tenant.id} and id = ${gapId}`);
}

/** The gaps of every store that operators are told of. Call as the platform. */
export async function shownGaps(ctx: InTransaction<PlatformContext>, limit: number): Promise<EventGap[]> {
  return ctx.tx.execute<EventGap>(sql`
    select tenant_id as "tenantId", lost_from as from, lost_to as to, finished_at as "finishedAt" from payment_event_gaps
    where finished_at is null or finished_at > ${fromNow(ctx.clock, -shownMs)} order by id desc limit ${limit}`);
}
