import { asPlatform } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';
import { isOfStore } from '../tenants/index.ts';
import type { DisabledReason } from './webhook-endpoint.ts';

/** A delivery that failed for good. */
export interface FailedDelivery {
  readonly tenantId: string;
  readonly id: string;
  readonly endpointId: string;
  /** Without its query, which may hold a secret. */
  readonly url: string;
  readonly eventId: string;
  readonly type: string;
  readonly attemptCount: number;
  readonly lastStatus: number | null;
  readonly lastFailure: string | null;
  readonly finishedAt: Date;
}

/** An endpoint that is failing, or was disabled for it. */
export interface FailingEndpoint {
  readonly tenantId: string;
  readonly id: string;
  readonly url: string;
  readonly failingSince: Date | null;
  readonly failures: number;
  /** Until when the breaker is open. */
  readonly pausedUntil: Date | null;
  readonly disabledAt: Date | null;
  readonly disabledReason: DisabledReason | null;
  readonly waiting: number;
}

/** For operators, across all stores: failing endpoints and failed deliveries, the newest first. */
export async function webhooksNeedingAttention(
  ctx: PlatformContext,
  limit: number,
): Promise<{ endpoints: FailingEndpoint[]; deliveries: FailedDelivery[]; total: number }> {
  return asPlatform(ctx, 'operators see the webhooks of every store that need attention', async (ctx) => {
    const endpoints = await ctx.tx.execute<FailingEndpoint>(sql`
      select e.tenant_id as "tenantId", e.id, split_part(e.url, '?', 1) as url, e.failing_since as "failingSince",
        e.failures, e.breaker_open_until as "pausedUntil", e.disabled_at as "disabledAt",
        e.disabled_reason as "disabledReason",
        (select count(*)::int from webhook_deliveries d
         where d.tenant_id = e.tenant_id and d.endpoint_id = e.id and d.state = 'pending') as waiting
      from webhook_endpoints e
      where (e.failing_since is not null or e.disabled_reason in ('gone', 'failing')) and ${isOfStore(sql`e.tenant_id`)}
      order by coalesce(e.failing_since, e.disabled_at) limit ${limit}`);
    const deliveries = await ctx.tx.execute<FailedDelivery>(sql`
      select d.tenant_id as "tenantId", d.id, d.endpoint_id as "endpointId", split_part(e.url, '?', 1) as url,
        d.event_id as "eventId", event.type, d.attempt_count as "attemptCount", d.last_status as "lastStatus",
        d.last_failure as "lastFailure", d.finished_at as "finishedAt"
      from (
        select * from webhook_deliveries where state = 'failed' and ${isOfStore(sql`tenant_id`)}
        order by id desc limit ${limit}) d
      join webhook_endpoints e on e.tenant_id = d.tenant_id and e.id = d.endpoint_id
      join events event on event.tenant_id = d.tenant_id and event.id = d.event_id
      order by d.id desc`);
    const [{ total } = { total: 0 }] = await ctx.tx.execute<{ total: number }>(sql`
      select count(*)::int as total from webhook_deliveries
      where state = 'failed' and ${isOfStore(sql`tenant_id`)}`);
    return { endpoints, deliveries, total };
  });
}
