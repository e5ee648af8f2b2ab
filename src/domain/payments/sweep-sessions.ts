import { checkSession as checkSessionJob } from '#jobs/payments.ts';
import { asPlatform } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { PlatformContext } from '../context.ts';

const sessionsMax = 1000;

/**
 * Find sessions whose check is overdue: its job was given up, or is lost in some way nobody thought of. Their checks
 * are promised anew; the checks ask the provider before anything is given back.
 */
export async function sweepSessions(ctx: PlatformContext): Promise<void> {
  const overdue = fromNow(ctx.clock, -ctx.settings.sweepIntervalMs);
  await asPlatform(ctx, 'sessions of every store come due', async (ctx) => {
    const found = await ctx.tx.execute<{ tenantId: string; orderId: string; checks: number }>(sql`
      update payment_sessions set checks = checks + 1, check_at = ${ctx.clock.now()}
      where (tenant_id, order_id) in (
        select tenant_id, order_id from payment_sessions where check_at < ${overdue}
        order by check_at limit ${sessionsMax} for update skip locked)
      returning tenant_id as "tenantId", order_id as "orderId", checks`);
    for (const { tenantId, orderId, checks } of found) {
      enqueue({ ...ctx, tenant: { id: tenantId } }, checkSessionJob, { orderId, number: checks + 1 });
    }
  });
}
