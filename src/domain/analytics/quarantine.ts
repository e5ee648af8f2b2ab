import { aggregateQuarantined as aggregateQuarantinedJob } from '#jobs/analytics.ts';
import { asPlatform, readOne, transact } from '#src/database/transact.ts';
import { ManualActionRequired } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, PlatformContext } from '../context.ts';
import { type Aggregated, aggregateChosen, type BatchKey } from './aggregate-chosen.ts';

/**
 * PostgreSQL's code of what is wrong with the data that a statement was given; `undefined` for any other error, which
 * trying again may mend.
 */
export function dataFault(error: unknown): string | undefined {
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string' && /^2[123]/.test(cause.code)) return cause.code;
  }
  return undefined;
}

/**
 * Fold a batch that was set aside: what was wrong with it may have been mended, in the batch or in the code.
 * @throws ManualActionRequired while it cannot be folded
 */
export async function aggregateQuarantined(ctx: Context, { batchId }: { batchId: string }): Promise<void> {
  const receivedAt = await putBack(ctx, batchId);
  if (receivedAt) await aggregateOrQuarantine(ctx, { tenantId: ctx.tenant.id, id: batchId }, receivedAt);
  // Whoever folds what waits may have come upon it before we did.
  const left = await readOne<{ reason: string }>(
    ctx,
    sql`
    select reason from analytics_quarantine where tenant_id = ${ctx.tenant.id} and id = ${batchId}`,
  );
  if (!left) return;
  throw new ManualActionRequired(
    `${batchId}: its events cannot be counted (PostgreSQL says ${left.reason}). Look at it in analytics_quarantine, mend or delete it, and try again.`,
  );
}

/** Fold one batch, or set it aside where that cannot be done. */
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
    await quarantined(ctx, key, reason);
    return { batches: 1, events: 0 };
  }
}

/** Keep a batch apart that cannot be folded, so that the others go on, and have a person look at it. */
async function quarantined(ctx: PlatformContext, { tenantId, id }: BatchKey, reason: string): Promise<void> {
  ctx.log.error({ tenant: tenantId, batch: id, reason }, 'a batch of events cannot be folded');
  await asPlatform(ctx, 'what cannot be folded is set aside, whosever it is', async (ctx) => {
    const moved = await ctx.tx.execute(sql`
      with taken as (delete from analytics_batches where tenant_id = ${tenantId} and id = ${id} returning *)
      insert into analytics_quarantine (tenant_id, id, received_at, source, bot, visitor, event_count, events, reason, quarantined_at)
      select tenant_id, id, received_at, source, bot, visitor, event_count, events, ${reason}, ${ctx.clock.now()} from taken
      returning 1`);
    if (moved.length > 0) enqueue({ ...ctx, tenant: { id: tenantId } }, aggregateQuarantinedJob, { batchId: id });
  });
}

/** Let it wait with the others again. Answers when it was received; nothing where it is not there any more. */
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

/** How many batches, of all stores, wait for a person. */
export async function countQuarantined(ctx: PlatformContext): Promise<number> {
  const [found] = await asPlatform(ctx, 'what cannot be folded is set aside, whosever it is', (ctx) =>
    ctx.tx.execute<{ count: number }>(sql`select count(*)::int as count from analytics_quarantine`),
  );
  return found?.count ?? 0;
}
