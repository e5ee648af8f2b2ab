import { scanEventGap as scanEventGapJob } from '#jobs/payments.ts';
import { completeJob, readOne, transact } from '#src/database/transact.ts';
import { fromNow, type TimeRange } from '#src/lib/clock.ts';
import { days, minutes } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction, PlatformContext } from '../../context.ts';
import type { PaymentAccount } from '../../ports/payment-gateway.ts';
import { isOfStore } from '../../tenants/index.ts';
import { openAccount } from '../accounts/payment-account.ts';
import { providerFailureOf } from '../provider-calls.ts';
import { applyCurrent } from '../snapshots/apply-snapshot.ts';
import { changedObjects, type ProviderObject, payableFrom, unknownSales } from './provider-objects.ts';

/** How long a gap is still shown to operators after it was scanned. */
const shownMs = days(30);

/** A time range whose events the provider stopped listing before they were stored. */
export interface EventGap {
  readonly tenantId: string;
  readonly from: Date;
  readonly to: Date;
  /** When the scan of the provider's objects finished; null while it is under way. */
  readonly finishedAt: Date | null;
}

/** Record once that the events of a time range are gone, and enqueue the scan of the provider's objects instead. */
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
      'the payment provider no longer lists events that were never stored',
    );
}

/**
 * What of a gap is left to scan. It begins before the gap, with the sessions whose money may have come within it.
 * @returns `undefined` when nothing is left
 */
async function readGap(ctx: Context, gapId: string): Promise<(TimeRange & { readonly lostFrom: Date }) | undefined> {
  return readOne<TimeRange & { lostFrom: Date }>(
    ctx,
    sql`
    select scanned_to as from, lost_to as to, lost_from as "lostFrom" from payment_event_gaps
    where tenant_id = ${ctx.tenant.id} and id = ${gapId} and finished_at is null`,
  );
}

/** Record that a gap was scanned up to this time. */
async function advanceGap(ctx: InTransaction, gapId: string, scannedTo: Date): Promise<void> {
  await ctx.tx.execute(sql`
    update payment_event_gaps set scanned_to = ${scannedTo},
      finished_at = case when lost_to <= ${scannedTo} then ${ctx.clock.now()}::timestamptz end
    where tenant_id = ${ctx.tenant.id} and id = ${gapId}`);
}

/** The gaps of every store that operators are shown. Call as the platform. */
export async function shownGaps(ctx: InTransaction<PlatformContext>, limit: number): Promise<EventGap[]> {
  return ctx.tx.execute<EventGap>(sql`
    select tenant_id as "tenantId", lost_from as from, lost_to as to, finished_at as "finishedAt"
    from payment_event_gaps
    where (finished_at is null or finished_at > ${fromNow(ctx.clock, -shownMs)}) and ${isOfStore(sql`tenant_id`)}
    order by id desc limit ${limit}`);
}

/** One job scans this much and enqueues the next; after each attempt that failed or took too long, half of it. */
const sliceMs = days(3);
const waitMs = minutes(10);

/**
 * Scan one batch of a gap: fetch the provider's objects of that time and apply each snapshot, as if its event had
 * arrived. It can be repeated at any time.
 */
export async function scanEventGap(ctx: Context, { gapId, number }: { gapId: string; number: number }): Promise<void> {
  const gap = await readGap(ctx, gapId);
  if (!gap) return;
  const lengthMs = sliceMs / 2 ** (ctx.attempt?.failedAttempts ?? 0);
  const to = new Date(Math.min(gap.from.getTime() + lengthMs, gap.to.getTime()));
  try {
    await applyObjects(ctx, { from: gap.from, to }, gap.lostFrom);
  } catch (error) {
    throw new Snooze(waitMs, providerFailureOf(error).message);
  }
  await completeJob(ctx, async (ctx) => {
    await advanceGap(ctx, gapId, to);
    if (to < gap.to) enqueue(ctx, scanEventGapJob, { gapId, number: number + 1 });
  });
}

async function applyObjects(ctx: Context, range: TimeRange, lostFrom: Date): Promise<void> {
  const account = await openAccount(ctx);
  for await (const { subject, objectId } of objectsWithin(ctx, account, range, lostFrom)) {
    const applied = await applyCurrent(ctx, account, subject, objectId);
    if (applied === 'unknown_order') {
      ctx.log.error(
        { code: 'payment_of_unknown_order', subject, objectId },
        'the payment provider has a payment of this store that has no order',
      );
    }
  }
}

/** Of the time before the gap only sessions matter: their money may have arrived within it. */
async function* objectsWithin(
  ctx: Context,
  account: PaymentAccount,
  { from, to }: TimeRange,
  lostFrom: Date,
): AsyncGenerator<ProviderObject> {
  yield* unknownSales(ctx, account, { from, to });
  if (to > lostFrom) yield* changedObjects(ctx, account, { from: from > lostFrom ? from : lostFrom, to });
}
