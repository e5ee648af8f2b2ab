import type { EntityDictionary } from '@mikro-orm/core';
import { selectOf } from '#src/database/rows.ts';
import { fromNow } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { finalCheckOf } from '#src/outbox/deliveries.ts';
import type { InTransaction } from '../context.ts';
import { WebhookEndpoint } from './webhook-endpoint.ts';

/**
 * One of an endpoint's leases: its holder may have `width` attempts in flight. Together the leases allow as many as the
 * endpoint's `concurrency`.
 */
export interface EndpointLease {
  readonly number: number;
  readonly width: number;
  readonly holder: string;
  readonly token: string;
  readonly leasedUntil: Date;
}

const widthMax = 8;

/** A batch starts no attempt later than this after it was claimed. */
export const beginWithinMs = seconds(5);
const longestCallMs = seconds(15);
/** Outlives the last attempt of a batch: after an expired lease, no request of its holder is in flight any more. */
const leaseMs = beginWithinMs + longestCallMs + seconds(15);

/**
 * Split a concurrency into leases: at least two where possible, so that one killed worker does not stop an endpoint.
 */
export function widthsOf(concurrency: number): number[] {
  const count = Math.max(Math.min(2, concurrency), Math.ceil(concurrency / widthMax));
  return Array.from({ length: count }, (_, index) => Math.floor((concurrency + index) / count));
}

/** Create or resize an endpoint's leases. The holder of a removed lease finishes its batch. */
export async function saveLeases(ctx: InTransaction, endpointId: string, concurrency: number): Promise<void> {
  const widths = widthsOf(concurrency);
  await ctx.tx.execute(sql`
    insert into webhook_endpoint_leases (tenant_id, endpoint_id, number, width)
    select ${ctx.tenant.id}, ${endpointId}, number, width
    from unnest(${widths}::int[]) with ordinality as lease(width, number)
    on conflict (tenant_id, endpoint_id, number) do update set width = excluded.width`);
  await ctx.tx.execute(sql`
    delete from webhook_endpoint_leases
    where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId} and number > ${widths.length}`);
}

/** An endpoint and its leases, locked until the transaction ends. */
export interface LockedEndpoint {
  readonly endpoint: WebhookEndpoint;
  readonly leases: readonly LeaseRow[];
}

interface LeaseRow {
  readonly number: number;
  readonly width: number;
  readonly holder: string | null;
  readonly token: string | null;
  readonly leased_until: Date | null;
}

/**
 * Lock an endpoint and its leases, so that one transaction at a time takes and releases them, records outcomes and
 * changes the endpoint's health.
 *
 * @param options `forFinalCheck`: see `endpoint-wakes.ts`. It comes before the rows, as where events are recorded.
 * @returns the rows as they are once they are locked
 */
export async function lockEndpointAndLeases(
  ctx: InTransaction,
  endpointId: string,
  { forFinalCheck = false } = {},
): Promise<LockedEndpoint | undefined> {
  const { em } = ctx.tx;
  const check = sql`cross join pg_advisory_xact_lock(${finalCheckOf(sql`${endpointId}`)}) as checking`;
  const rows = await ctx.tx.execute<EntityDictionary<WebhookEndpoint> & LeaseRow>(sql`
    with endpoint as materialized (
      ${selectOf(em.getMetadata().get(WebhookEndpoint))} ${forFinalCheck ? check : sql``}
      where tenant_id = ${ctx.tenant.id} and id = ${endpointId}
      for no key update of webhook_endpoints)
    select endpoint.*, lease.number, lease.width, lease.holder, lease.token, lease.leased_until
    from endpoint
      join webhook_endpoint_leases lease on lease.tenant_id = endpoint.tenant_id and lease.endpoint_id = endpoint.id
    order by lease.number
    for no key update of lease`);
  const [first] = rows;
  return first && { endpoint: em.map(WebhookEndpoint, first), leases: rows };
}

/**
 * @throws Snooze while an earlier attempt of this job that died holds a lease, as no other job would deliver what it had
 *   claimed. This one takes no other lease meanwhile: when that had no more to do, the job would be finished.
 */
export function snoozeForDeadAttempt(ctx: InTransaction, leases: readonly LeaseRow[]): void {
  const now = ctx.clock.now();
  const held = leases.find((lease) => lease.holder === ctx.attempt?.outboxId && !isFree(lease, now));
  if (!held?.leased_until) return;
  const waitMs = held.leased_until.getTime() - now.getTime();
  throw new Snooze(waitMs, 'an earlier attempt of this job died while holding a lease');
}

/** The lease that a drain may use next: its own, which its token identifies, or a free one. */
export function chooseLease(ctx: InTransaction, leases: readonly LeaseRow[], token: string): EndpointLease | undefined {
  const now = ctx.clock.now();
  const lease = leases.find((lease) => lease.token === token) ?? leases.find((lease) => isFree(lease, now));
  if (!lease) return undefined;
  const { number, width } = lease;
  return { number, width, holder: ctx.attempt?.outboxId ?? token, token, leasedUntil: fromNow(ctx.clock, leaseMs) };
}

export const isFree = ({ leased_until: until }: LeaseRow, now: Date): boolean => until === null || until <= now;
