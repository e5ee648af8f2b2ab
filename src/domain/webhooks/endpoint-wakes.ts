import { drainEndpoint } from '#jobs/webhooks.ts';
import { transact } from '#src/database/transact.ts';
import { clocksAgreeWithinMs, fromNow } from '#src/lib/clock.ts';
import { minutes } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import type { Batch } from './claim-deliveries.ts';
import { isFree, type LockedEndpoint, widthsOf } from './endpoint-leases.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/*
 * `woken_at` of an endpoint says that a new delivery (`src/outbox/deliveries.ts`) needs no job of its own: a job was
 * enqueued that has not asked for a lease yet, or all leases were taken when it did. A job that takes a lease clears the
 * mark, so that the next delivery enqueues a job for the next lease.
 *
 * The transaction that releases a lease checks for deliveries once more and clears the mark again. This final check waits
 * for the transactions that relied on the mark, and sees what they have committed; those that begin meanwhile wait for
 * it, and then find the mark cleared. So do jobs that look for a free lease: the endpoint is locked, and they find this
 * one.
 */

/** When an endpoint is drained again after a job has failed for good. */
const resumeAfterMs = minutes(15);

/**
 * Wake the next lease, where one is free: more is due than a job attempts at once, and events that came before it took
 * its lease enqueued no other. The endpoint is locked, and its mark was cleared.
 */
export async function wakeNextLease(
  ctx: InTransaction,
  { endpoint, leases }: LockedEndpoint,
  { lease, deliveries }: Batch,
): Promise<void> {
  const now = ctx.clock.now();
  const isNextFree = leases.some((other) => other.number !== lease.number && isFree(other, now));
  if (!isNextFree || deliveries.length < lease.width) return;
  await ctx.tx.execute(sql`
    update webhook_endpoints set woken_at = ${now} where tenant_id = ${ctx.tenant.id} and id = ${endpoint.id}`);
  enqueueWake(ctx, endpoint.id, now);
}

/**
 * The final check of a drain, whose endpoint is locked for it. If nothing is due now or the drain may not continue, its
 * lease is released, and the endpoint is marked if the caller has to enqueue a job that is due now.
 *
 * @returns when the next delivery is due that no other drain has claimed
 */
export async function checkForRest(
  ctx: InTransaction,
  endpoint: WebhookEndpoint,
  { token, now, mayContinue }: { token: string; now: Date; mayContinue: boolean },
): Promise<Date | undefined> {
  const [rest] = await ctx.tx.execute<{ dueAt: Date }>(sql`
    with rest as materialized (
      select greatest(next_attempt_at, ${endpoint.breakerOpenUntil}) as due_at from webhook_deliveries
      where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpoint.id} and state = 'pending'
        and (lease_token is null or next_attempt_at <= ${now}) and ${endpoint.disabledAt === null}
      order by next_attempt_at limit 1),
    due as (select from rest where due_at <= ${now}),
    ended as (select where not (${mayContinue} and exists (select from due))),
    released as (
      update webhook_endpoint_leases set holder = null, token = null, leased_until = null
      where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpoint.id} and token = ${token}
        and exists (select from ended)),
    marked as (
      update webhook_endpoints set woken_at = (select ${now}::timestamptz from due)
      where tenant_id = ${ctx.tenant.id} and id = ${endpoint.id} and (woken_at is not null or exists (select from due))
        and exists (select from ended))
    select due_at as "dueAt" from rest`);
  return rest?.dueAt;
}

/** Drain the endpoint later, after a job failed for good that was to do it. */
export async function resumeLater(ctx: Context, { endpointId }: { endpointId: string }): Promise<void> {
  await transact(ctx, async (ctx) => enqueueWake(ctx, endpointId, fromNow(ctx.clock, resumeAfterMs)));
}

/** Enqueue one job for each lease of an endpoint, as many deliveries may be waiting. */
export function wakeEveryLease(
  ctx: InTransaction,
  { id, concurrency }: Pick<WebhookEndpoint, 'id' | 'concurrency'>,
): void {
  for (const _ of widthsOf(concurrency)) enqueueWake(ctx, id, ctx.clock.now());
}

export function enqueueWake(ctx: InTransaction, endpointId: string, dueAt: Date): void {
  // As long as the time has not come for any machine, a job that was enqueued for it before is still open.
  const isAhead = dueAt > fromNow(ctx.clock, clocksAgreeWithinMs);
  enqueue(ctx, drainEndpoint, { endpointId, causeId: isAhead ? dueAt.toISOString() : newId('job') }, { dueAt });
}
