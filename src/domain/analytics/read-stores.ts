import { asPlatform } from '#src/database/transact.ts';
import { addDays, dayOf } from '#src/lib/calendar.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';

/** What a store brought in the last days, for operators. */
export interface TenantNumbers {
  readonly tenantId: string;
  readonly events: number;
  readonly sessions: number;
  readonly orders: number;
}

/** The stores of which most was told in the last days, the busiest first. */
export async function busiestTenants(
  ctx: PlatformContext,
  { days, limit }: { days: number; limit: number },
): Promise<TenantNumbers[]> {
  const from = addDays(dayOf(ctx.clock.now()), 1 - days);
  return asPlatform(ctx, 'operators see how busy every store is', (ctx) =>
    ctx.tx.execute<TenantNumbers>(sql`
    select tenant_id as "tenantId", sum(events)::int8 as events, sum(sessions)::int8 as sessions, sum(orders)::int8 as orders
    from analytics_days where day >= ${from}::date
    group by tenant_id order by sum(events) desc, tenant_id limit ${limit}`),
  );
}
