import { opaque, sql } from '#src/lib/sql.ts';
import type { EventType } from '#src/outbox/events.ts';
import type { InTransaction } from '../context.ts';
import type { EndpointLease } from './endpoint-leases.ts';
import { openSecrets } from './endpoint-secrets.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/** A delivery that only this drain may attempt until the lease expires. */
export interface ClaimedDelivery {
  readonly id: string;
  readonly eventId: string;
  readonly type: EventType;
  readonly objectId: string;
  readonly eventAt: Date;
  /** When it was due. It becomes due at this time again if it was not attempted after all. */
  readonly dueAt: Date;
  readonly attemptCount: number;
  /** Attempts in the current round through the retry schedule. A redelivery starts a new round. */
  readonly roundCount: number;
}

/** Deliveries of one endpoint to attempt now, with everything that the attempts need. */
export interface Batch {
  readonly lease: EndpointLease;
  readonly url: string;
  /** Decrypted, the current one first. Never logged. */
  readonly secrets: readonly string[];
  readonly failuresInRow: number;
  readonly probe: boolean;
  readonly deliveries: readonly ClaimedDelivery[];
}

export interface Claim {
  readonly batch: Batch | undefined;
  /** Whether more is due than the endpoint allows now. */
  readonly hasMore: boolean;
}

/**
 * Claim what is due, oldest first, as much as the endpoint allows now, and take or renew the lease if anything is due.
 * A claim moves `next_attempt_at` to the end of the lease: if no outcome is recorded, the delivery is due again when
 * the lease expires. The endpoint and its leases are locked.
 *
 * Every row is looked up by its key, so the statement stays fast even when the planner's statistics are outdated after
 * many deliveries arrived at once.
 *
 * @param isWoken whether `woken_at` of the endpoint announced this claim, which then clears it: see `endpoint-wakes.ts`
 */
export async function claimDeliveries(
  ctx: InTransaction,
  endpoint: WebhookEndpoint,
  lease: EndpointLease,
  { wanted, isWoken }: { wanted: number; isWoken: boolean },
): Promise<Claim> {
  const now = ctx.clock.now();
  const limit = endpoint.allowance(wanted, now);
  const due = await ctx.tx.execute<ClaimedDelivery | { readonly id: null }>(sql`
    with due as materialized (
      select id, next_attempt_at from webhook_deliveries
      where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpoint.id}
        and state = 'pending' and next_attempt_at <= ${now}
      order by next_attempt_at limit ${limit + 1}),
    leased as (
      update webhook_endpoint_leases
      set holder = ${lease.holder}, token = ${lease.token}, leased_until = ${lease.leasedUntil}
      where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpoint.id} and number = ${lease.number}
        and exists (select from due)),
    unmarked as (
      update webhook_endpoints set woken_at = null
      where tenant_id = ${ctx.tenant.id} and id = ${endpoint.id} and woken_at is not null and ${isWoken}
        and exists (select from due)),
    claimed as (
      update webhook_deliveries d set next_attempt_at = ${lease.leasedUntil}, lease_token = ${lease.token}
      where d.tenant_id = ${opaque(ctx.tenant.id)}
        and d.id = any(array(select id from due order by next_attempt_at limit ${limit}))
      returning d.id, d.event_id, d.attempt_count, d.round_count)
    select claimed.id, e.id as "eventId", e.type, e.object_id as "objectId", e.created_at as "eventAt",
      due.next_attempt_at as "dueAt", claimed.attempt_count as "attemptCount", claimed.round_count as "roundCount"
    from due left join claimed on claimed.id = due.id left join lateral (
      select * from events where tenant_id = ${ctx.tenant.id} and id = claimed.event_id offset 0) e on true
    order by due.next_attempt_at, due.id`);
  const hasMore = due.length > limit;
  const deliveries = due.filter((each) => each.id !== null);
  if (deliveries.length === 0) return { batch: undefined, hasMore };

  const { url, failuresInRow } = endpoint;
  const { probe } = endpoint.begin(deliveries.length, now, lease.leasedUntil);
  return { batch: { lease, url, secrets: openSecrets(ctx, endpoint), failuresInRow, probe, deliveries }, hasMore };
}
