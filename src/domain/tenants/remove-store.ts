import { runOnPlatformTables } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction, PlatformContext } from '../context.ts';

/** A store that no process finds any more, and whose rows are being deleted. */
export interface RemovedStore {
  readonly id: string;
  readonly slug: string;
  readonly removedAt: Date;
}

/**
 * Remove the context's store, if it is closed: within a second no process finds it, its keys and sessions do not work,
 * and its jobs end without effect. Its rows are deleted by a job.
 * @returns whether it was closed
 */
export async function markRemoved(ctx: InTransaction): Promise<boolean> {
  const removed = await ctx.tx.execute(sql`
    update tenants set removed_at = ${ctx.clock.now()} where id = ${ctx.tenant.id} and closed_at is not null
    returning 1`);
  return removed.length > 0;
}

/** The stores that were removed and have rows left, at least the one of themselves. */
export async function listRemoved(ctx: PlatformContext): Promise<RemovedStore[]> {
  return runOnPlatformTables<RemovedStore>(
    ctx,
    sql`select id, slug, removed_at as "removedAt" from tenants where removed_at is not null order by removed_at, id`,
  );
}

/** Delete the row of a removed store itself, which makes its slug free. */
export async function deleteRemoved(ctx: PlatformContext, { id }: RemovedStore): Promise<void> {
  await runOnPlatformTables(ctx, sql`delete from tenants where id = ${id} and removed_at is not null`);
}
