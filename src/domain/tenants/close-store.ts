import { type Sql, sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/**
 * Close the context's store: its storefront is served no more, and no marketing email is sent. What was sold is still
 * looked after. Every process sees it within a second. The caller records it in the audit log.
 * @returns whether the store was open
 */
export async function closeStore(ctx: InTransaction): Promise<boolean> {
  const closed = await ctx.tx.execute(sql`
    update tenants set closed_at = ${ctx.clock.now()}, updated_at = ${ctx.clock.now()}
    where id = ${ctx.tenant.id} and closed_at is null returning 1`);
  return closed.length > 0;
}

/**
 * Open a closed store again. The caller records it in the audit log.
 * @returns whether the store was closed
 */
export async function reopenStore(ctx: InTransaction): Promise<boolean> {
  const reopened = await ctx.tx.execute(sql`
    update tenants set closed_at = null, updated_at = ${ctx.clock.now()}
    where id = ${ctx.tenant.id} and closed_at is not null and removed_at is null returning 1`);
  return reopened.length > 0;
}

/** Whether a store was closed before a time, as a condition. */
export const wasClosedBefore = (tenantId: Sql, at: Date): Sql =>
  sql`exists (select from tenants closed where closed.id = ${tenantId} and closed.closed_at < ${at})`;
