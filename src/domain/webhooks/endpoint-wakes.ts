import { drainEndpoint } from '#jobs/webhooks.ts';
import { completeJob, transact } from '#src/database/transact.ts';
import { clocksAgreeWithinMs, fromNow } from '#src/lib/clock.ts';
import { minutes } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { finalCheckOf } from '#src/outbox/deliveries.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import type { Context, InTransaction } from '../context.ts';
import { widthsOf } from './endpoint-leases.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/*
 * `woken_at` of an endpoint says that a new delivery (`src/outbox/deliveries.ts`) needs no job of its own: a job was
 * enqueued that has not asked for a lease yet, or all leases were taken when it did. A job that takes a lease clears the
 * mark, so that the next delivery enqueues a job for the next lease. A job that has released its lease checks for
 * deliveries once more and clears the mark again. This final check waits for the transactions that relied on the mark,
 * and sees what they have committed; those that begin meanwhile wait for it, and then find the mark cleared.
 */

/** When an endpoint is drained again after a job has failed for good. */
const resumeAfterMs = minutes(15);

/**
 * Wake the next lease, where one is free and no job is on its way: more deliveries are due than a job attempts at
 * once, and events that came before it took its lease enqueued no other. The endpoint is locked.
 */
export async function wakeNextLease(ctx: InTransaction, endpointId: string): Promise<void> {
  const now = ctx.clock.now();
  const marked = await ctx.tx.execute(sql`
    update webhook_endpoints e set woken_at = ${now}
    where e.tenant_id = ${ctx.tenant.id} and e.id = ${endpointId} and e.woken_at is null
      and exists (
        select from webhook_endpoint_leases l
        where l.tenant_id = e.tenant_id and l.endpoint_id = e.id
          and (l.leased_until is null or l.leased_until <= ${now}))
    returning e.id`);
  if (marked.length > 0) enqueueWake(ctx, endpointId, now);
}

/**
 * The final check of a job that has released its lease or had no use for one: enqueue a successor for the time at which
 * the next delivery is due, if there is any that no other job has claimed.
 */
export async function wakeForRest(ctx: Context, endpointId: string): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    await ctx.tx.execute(sql`select pg_advisory_xact_lock(${finalCheckOf(sql`${endpointId}`)})`);
    const now = ctx.clock.now();
    const [rest] = await ctx.tx.execute<{ dueAt: Date | null }>(sql`
      with rest as materialized (
        select greatest(waiting.due_at, e.breaker_open_until) as due_at
        from webhook_endpoints e, lateral (
          select min(d.next_attempt_at) as due_at from webhook_deliveries d
          where d.tenant_id = e.tenant_id and d.endpoint_id = e.id and d.state = 'pending'
            and (d.lease_token is null or d.next_attempt_at <= ${now})) waiting
        where e.tenant_id = ${ctx.tenant.id} and e.id = ${endpointId}
          and e.disabled_at is null and waiting.due_at is not null),
      marked as (
        update webhook_endpoints e set woken_at = (select ${now}::timestamptz from rest where due_at <= ${now})
        where e.tenant_id = ${ctx.tenant.id} and e.id = ${endpointId}
          and (e.woken_at is not null or exists (select from rest where due_at <= ${now})))
      select due_at as "dueAt" from rest`);
    if (rest?.dueAt) enqueueWake(ctx, endpointId, rest.dueAt);
  });
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

function enqueueWake(ctx: InTransaction, endpointId: string, dueAt: Date): void {
  // As long as the time has not come for any machine, a job that was enqueued for it before is still open.
  const isAhead = dueAt > fromNow(ctx.clock, clocksAgreeWithinMs);
  enqueue(ctx, drainEndpoint, { endpointId, causeId: isAhead ? dueAt.toISOString() : newId('job') }, { dueAt });
}
