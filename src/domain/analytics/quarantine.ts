import { aggregateQuarantined as aggregateQuarantinedJob } from '#jobs/analytics.ts';
import { asPlatform, readOne, transact } from '#src/database/transact.ts';
import { causesOf, codeOf, ManualActionRequired } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueueFor } from '#src/outbox/enqueue.ts';
import type { Context, PlatformContext } from '../context.ts';
import { type Aggregated, aggregateChosen, type BatchKey } from './aggregate-chosen.ts';

/**
 * @returns PostgreSQL's error code if the data of a statement is invalid; `undefined` for any other error, which a
 *   retry may solve
 */
export const dataFault = (error: unknown): string | undefined =>
  causesOf(error)
    .map(codeOf)
    .find((code) => /^2[123]/.test(code));

/**
 * Aggregate a quarantined batch again, after the batch or the code was corrected.
 * @throws ManualActionRequired while it cannot be aggregated
 */
export async function aggregateQuarantined(ctx: Context, { batchId }: { batchId: string }): Promise<void> {
  const receivedAt = await putBack(ctx, batchId);
  if (receivedAt) await aggregateOrQuarantine(ctx, { tenantId: ctx.tenant.id, id: batchId }, receivedAt);
  // Another worker may have aggregated or quarantined the batch first, so the table decides.
  const left = await readOne<{ reason: string }>(
    ctx,
    sql`
    select reason from analytics_quarantine where tenant_id = ${ctx.tenant.id} and id = ${batchId}`,
  );
  if (!left) return;
  throw new ManualActionRequired(
    `${batchId}: its events cannot be counted (PostgreSQL error ${left.reason}). ` +
      'Inspect its row in analytics_quarantine, correct or delete it, and retry.',
  );
}

/** Aggregate one batch, or quarantine it if its data is invalid. */
export async function aggregateOrQuarantine(
  ctx: PlatformContext,
  key: BatchKey,
  receivedAt: Date,
): Promise<Aggregated> {
  try {
    return await aggregateChosen(ctx, { oldestAt: receivedAt, newestAt: receivedAt }, { only: key });
  } catch (error) {
    const reason = dataFault(error);
    if (reason === undefined) throw error;
    await quarantineBatch(ctx, key, reason);
    return { batches: 1, events: 0 };
  }
}

/** Move a batch to the quarantine, so that the others continue, and enqueue the job that an operator retries. */
async function quarantineBatch(ctx: PlatformContext, { tenantId, id }: BatchKey, reason: string): Promise<void> {
  ctx.log.error({ tenant: tenantId, batch: id, reason }, 'quarantined a batch of events that cannot be aggregated');
  await asPlatform(ctx, 'batches of all stores can be quarantined', async (ctx) => {
    const moved = await ctx.tx.execute(sql`
      with taken as (delete from analytics_batches where tenant_id = ${tenantId} and id = ${id} returning *)
      insert into analytics_quarantine (tenant_id, id, received_at, source, bot, visitor, event_count, events, reason,
        quarantined_at)
      select tenant_id, id, received_at, source, bot, visitor, event_count, events, ${reason}, ${ctx.clock.now()}
      from taken
      returning 1`);
    if (moved.length > 0) enqueueFor(ctx, tenantId, aggregateQuarantinedJob, { batchId: id });
  });
}

/**
 * Move a batch from the quarantine back to the waiting ones.
 * @returns when it was received; `undefined` when it does not exist any more
 */
async function putBack(ctx: Context, batchId: string): Promise<Date | undefined> {
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    with taken as (delete from analytics_quarantine where tenant_id = ${ctx.tenant.id} and id = ${batchId} returning *)
    insert into analytics_batches (tenant_id, id, received_at, source, bot, visitor, event_count, events)
    select tenant_id, id, received_at, source, bot, visitor, event_count, events from taken`),
  );
  const waiting = await readOne<{ receivedAt: Date }>(
    ctx,
    sql`
    select received_at as "receivedAt" from analytics_batches where tenant_id = ${ctx.tenant.id} and id = ${batchId}`,
  );
  return waiting?.receivedAt;
}

/** The number of quarantined batches of all stores. */
export async function countQuarantined(ctx: PlatformContext): Promise<number> {
  const [found] = await asPlatform(ctx, 'batches of all stores can be quarantined', (ctx) =>
    ctx.tx.execute<{ count: number }>(sql`select count(*)::int as count from analytics_quarantine`),
  );
  return found?.count ?? 0;
}
