import { fromNow } from '#src/lib/clock.ts';
import { seconds } from '#src/lib/duration.ts';
import { Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/**
 * One of an endpoint's leases: its holder may have `width` attempts in flight. Together the leases allow as many as the
 * endpoint's `concurrency`.
 */
export interface EndpointLease {
  readonly endpointId: string;
  readonly number: number;
  readonly width: number;
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

/** Create or resize an endpoint's leases. The holder of a removed lease finds out when it renews it. */
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

/**
 * Take a free lease if the endpoint may be called and a delivery is due. The holder of another lease checks for due
 * deliveries after releasing it, so a job that finds none free need not wait.
 *
 * @returns `busy` when every lease is taken, and `undefined` when there is no use for one now
 * @throws Snooze when an earlier attempt of this job died while holding a lease, as no other job would deliver what it
 *   had claimed. It takes no other lease meanwhile: when that had no more to do, the job would be finished.
 */
export async function takeLease(
  ctx: InTransaction,
  endpointId: string,
  token: string,
): Promise<EndpointLease | 'busy' | undefined> {
  const now = ctx.clock.now();
  const leasedUntil = new Date(now.getTime() + leaseMs);
  const holder = ctx.attempt?.outboxId ?? token;
  const [row] = await ctx.tx.execute<{
    number: number | null;
    width: number;
    ownUntil: Date | null;
    isBusy: boolean;
  }>(sql`
    with own as materialized (
      select max(leased_until) as until from webhook_endpoint_leases
      where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId} and holder = ${holder}
        and leased_until > ${now}),
    free as materialized (
      select s.number
      from webhook_endpoint_leases s
      join webhook_endpoints e on e.tenant_id = s.tenant_id and e.id = s.endpoint_id
      where s.tenant_id = ${ctx.tenant.id} and s.endpoint_id = ${endpointId}
        and (s.leased_until is null or s.leased_until <= ${now}) and (select until is null from own)
        and e.disabled_at is null and (e.breaker_open_until is null or e.breaker_open_until <= ${now})
        and exists (
          select from webhook_deliveries d
          where d.tenant_id = ${ctx.tenant.id} and d.endpoint_id = ${endpointId} and d.state = 'pending'
            and d.next_attempt_at <= ${now})
      order by s.number limit 1 for update of s skip locked),
    leased as (
      update webhook_endpoint_leases l
      set holder = ${holder}, token = ${token}, leased_until = ${leasedUntil}
      from free
      where l.tenant_id = ${ctx.tenant.id} and l.endpoint_id = ${endpointId} and l.number = free.number
      returning l.number, l.width),
    woken as (
      update webhook_endpoints e set woken_at = null
      from leased
      where e.tenant_id = ${ctx.tenant.id} and e.id = ${endpointId} and e.woken_at is not null)
    select leased.number, leased.width, (select until from own) as "ownUntil",
      not exists (
        select from webhook_endpoint_leases
        where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId}
          and (leased_until is null or leased_until <= ${now})) as "isBusy"
    from (values (1)) always left join leased on true`);
  if (row?.number) return { endpointId, number: row.number, width: row.width, token, leasedUntil };
  if (row?.ownUntil)
    throw new Snooze(
      row.ownUntil.getTime() - now.getTime(),
      'an earlier attempt of this job died while holding a lease',
    );
  return row?.isBusy ? 'busy' : undefined;
}

/** Extend the lease for another batch. @returns it with its current width, or `undefined` when it was lost */
export async function renewLease(ctx: InTransaction, lease: EndpointLease): Promise<EndpointLease | undefined> {
  const leasedUntil = fromNow(ctx.clock, leaseMs);
  const [row] = await ctx.tx.execute<{ width: number }>(sql`
    update webhook_endpoint_leases set leased_until = ${leasedUntil}
    where tenant_id = ${ctx.tenant.id} and endpoint_id = ${lease.endpointId} and token = ${lease.token}
      returning width`);
  return row && { ...lease, ...row, leasedUntil };
}

export async function releaseLease(ctx: InTransaction, { endpointId, token }: EndpointLease): Promise<void> {
  await ctx.tx.execute(sql`
    update webhook_endpoint_leases set holder = null, token = null, leased_until = null
    where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId} and token = ${token}`);
}
