import { runOnPlatformTables } from '#src/database/transact.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { InTransaction, PlatformContext } from '../context.ts';

/** A store that no process finds any more. Its rows are deleted; who removed it stays. */
export interface RemovedStore {
  readonly id: string;
  readonly slug: string;
  readonly closedAt: Date;
  readonly removedAt: Date;
  readonly removedBy: string;
  /** Since when nothing is left of it; null while its rows are being deleted. */
  readonly deletedAt: Date | null;
}

/**
 * Remove the context's store, if it is closed: within a second no process finds it, its keys and sessions do not work,
 * and its jobs end without effect. Its rows are deleted by a job.
 * @param removedBy the person or machine that does it
 * @returns whether it was closed
 */
export async function markRemoved(ctx: InTransaction, removedBy: string): Promise<boolean> {
  const removed = await ctx.tx.execute(sql`
    with removed as (
      update tenants set removed_at = ${ctx.clock.now()}
      where id = ${ctx.tenant.id} and closed_at is not null and removed_at is null
      returning id, slug, closed_at, removed_at)
    insert into removed_stores (id, slug, closed_at, removed_at, removed_by)
    select id, slug, closed_at, removed_at, ${removedBy} from removed returning 1`);
  return removed.length > 0;
}

/** The condition that a row is not of a removed store: such rows are left until they are deleted. */
export const isOfStore = (tenantId: Sql): Sql => sql`
  ${tenantId} <> all(array(select id from removed_stores where deleted_at is null))`;

/** Wait for the transactions that rely on the store (`isNotRemoved`). Later ones wait until this one ends. */
export async function lockToRemove(ctx: InTransaction): Promise<void> {
  await ctx.tx.execute(sql`select from tenants where id = ${ctx.tenant.id} for update`);
}

/** Every store that was ever removed, the latest last. */
export async function listRemoved(ctx: PlatformContext): Promise<RemovedStore[]> {
  return runOnPlatformTables<RemovedStore>(
    ctx,
    sql`
    select id, slug, closed_at as "closedAt", removed_at as "removedAt", removed_by as "removedBy",
      deleted_at as "deletedAt"
    from removed_stores order by removed_at, id`,
  );
}

/** Delete the row of a removed store itself, which makes its slug free. */
export async function deleteRemoved(ctx: PlatformContext, { id }: RemovedStore): Promise<void> {
  await runOnPlatformTables(
    ctx,
    sql`
    with deleted as (delete from tenants where id = ${id} and removed_at is not null returning id)
    update removed_stores set deleted_at = ${ctx.clock.now()} where id in (select id from deleted)`,
  );
}
