import { lockRow } from '#src/database/rows.ts';
import { sql } from '#src/lib/sql.ts';
import type { EventType } from '#src/outbox/events.ts';
import type { InTransaction } from '../context.ts';
import type { EndpointLease } from './endpoint-leases.ts';
import { openSecret } from './signing.ts';
import { WebhookEndpoint } from './webhook-endpoint.ts';

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
  /** Another delivery was due that no one has claimed. */
  readonly hasMore: boolean;
  readonly claimedAt: Date;
}

/** Lock the endpoint's row, so that one transaction at a time records outcomes and changes its health. */
export async function lockEndpoint(ctx: InTransaction, id: string): Promise<WebhookEndpoint | undefined> {
  return lockRow(ctx, WebhookEndpoint, id);
}

/**
 * Claim what is due, oldest first, as much as the endpoint allows now. A claim moves `next_attempt_at` to the end of
 * the lease: if no outcome is recorded, the delivery is due again when the lease expires.
 *
 * Every row is looked up by its key, so the statement stays fast even when the planner's statistics are outdated after
 * many deliveries arrived at once.
 */
export async function claimDeliveries(
  ctx: InTransaction,
  endpoint: WebhookEndpoint,
  lease: EndpointLease,
  wanted: number,
): Promise<Batch | undefined> {
  const now = ctx.clock.now();
  const limit = endpoint.allowance(wanted, now);
  const deliveries =
    limit === 0
      ? []
      : await ctx.tx.execute<ClaimedDelivery & { hasMore: boolean }>(sql`
    with due as materialized (
      select id, next_attempt_at from webhook_deliveries
      where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpoint.id}
        and state = 'pending' and next_attempt_at <= ${now}
      order by next_attempt_at limit ${limit + 1} for update skip locked),
    claimed as (
      update webhook_deliveries d set next_attempt_at = ${lease.leasedUntil}, lease_token = ${lease.token}
      where d.tenant_id = ${ctx.tenant.id}
        and d.id = any(array(select id from due order by next_attempt_at limit ${limit}))
      returning d.id, d.event_id, d.attempt_count, d.round_count)
    select claimed.id, e.id as "eventId", e.type, e.object_id as "objectId", e.created_at as "eventAt",
      due.next_attempt_at as "dueAt", claimed.attempt_count as "attemptCount", claimed.round_count as "roundCount",
      (select count(*) > ${limit} from due) as "hasMore"
    from claimed join due on due.id = claimed.id, lateral (
      select * from events where tenant_id = ${ctx.tenant.id} and id = claimed.event_id offset 0) e
    order by due.next_attempt_at, claimed.id`);
  const [first] = deliveries;
  if (!first) return undefined;

  const { failuresInRow } = endpoint;
  const { probe } = endpoint.begin(deliveries.length, now, lease.leasedUntil);
  const secrets = endpoint.liveSecrets(now).map((sealed) => openSecret(ctx, sealed));
  return {
    lease,
    url: endpoint.url,
    secrets,
    failuresInRow,
    probe,
    deliveries,
    hasMore: first.hasMore,
    claimedAt: now,
  };
}
