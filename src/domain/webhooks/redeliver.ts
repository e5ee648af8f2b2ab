import { discardDeliveries as discardDeliveriesJob } from '#jobs/webhooks.ts';
import { lockRow } from '#src/database/rows.ts';
import { completeJob, readOne, transact } from '#src/database/transact.ts';
import { found } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { rejectReversed } from '#src/lib/reject-reversed.ts';
import { opaque, type Sql, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { wakeEveryLease } from './endpoint-wakes.ts';
import { rejectDisabled, WebhookEndpoint } from './webhook-endpoint.ts';

/** At most so many deliveries are recovered by one call; a further call takes the rest. */
const recoverMax = 50_000;

/**
 * Send one delivery again, at once and with a new round through the retry schedule. A delivery that is being attempted
 * right now stays as it is.
 * @throws DomainError `not_found`, or `invalid_request` when its endpoint is disabled
 */
export async function redeliver(ctx: Context, { id }: { id: string }): Promise<void> {
  const row = await readOne<{ endpointId: string }>(
    ctx,
    sql`
    select endpoint_id as "endpointId" from webhook_deliveries where tenant_id = ${ctx.tenant.id} and id = ${id}`,
  );
  const delivery = found(row, 'webhook delivery');
  await transact(ctx, async (ctx) => {
    await lockAndWake(ctx, delivery.endpointId);
    await ctx.tx.execute(sql`
      update webhook_deliveries set ${dueAgain(ctx)}
      where tenant_id = ${ctx.tenant.id} and id = ${id} and (state <> 'pending' or lease_token is null)`);
    await recordAudit(ctx, { action: 'webhook_delivery.redelivered', subjectKind: 'webhook_delivery', subjectId: id });
  });
}

export interface Recovery {
  readonly id: string;
  readonly since: Date;
  readonly until?: Date | undefined;
  /** Only failed and discarded deliveries, or delivered ones too. */
  readonly only?: 'failed' | 'all' | undefined;
}

/**
 * Send an endpoint again what it missed: the deliveries created in a time range that failed or were discarded.
 * @returns how many are sent again
 * @throws DomainError `not_found`, or `invalid_request` when the endpoint is disabled or the range ends before it begins
 */
export async function recoverDeliveries(ctx: Context, recovery: Recovery): Promise<{ recovered: number }> {
  const { id, since, until, only = 'failed' } = recovery;
  rejectReversed(['since', since], ['until', until]);
  return transact(ctx, async (ctx) => {
    await lockAndWake(ctx, id);
    const states = only === 'all' ? ['failed', 'discarded', 'delivered'] : ['failed', 'discarded'];
    const recovered = await ctx.tx.execute(sql`
      update webhook_deliveries set ${dueAgain(ctx)}
      where tenant_id = ${ctx.tenant.id} and id in (
        select id from webhook_deliveries
        where tenant_id = ${ctx.tenant.id} and endpoint_id = ${id} and state = any(${states})
          and created_at >= ${since} and created_at < ${until ?? ctx.clock.now()}
        order by id limit ${recoverMax})
      returning id`);
    const after = {
      since: since.toISOString(),
      until: until?.toISOString() ?? null,
      only,
      recovered: recovered.length,
    };
    const subject = { subjectKind: 'webhook_endpoint', subjectId: id };
    await recordAudit(ctx, { action: 'webhook_endpoint.recovered', ...subject, after });
    return { recovered: recovered.length };
  });
}

/** A delivery is due now, with a new round. */
const dueAgain = ({ clock }: InTransaction): Sql => sql`
  state = 'pending', round_count = 0, next_attempt_at = ${clock.now()}, lease_token = null, finished_at = null`;

/** The endpoint is locked before its deliveries, as everywhere. The jobs enqueued here start after the commit. */
async function lockAndWake(ctx: InTransaction, endpointId: string): Promise<void> {
  const endpoint = found(await lockRow(ctx, WebhookEndpoint, endpointId), 'webhook endpoint');
  rejectDisabled(endpoint);
  wakeEveryLease(ctx, endpoint);
}

/** One transaction discards at most so many deliveries, and a job those that are left. */
const discardMax = 5000;

/**
 * Discard the pending deliveries of a disabled endpoint: they are not attempted any more and can be recovered. Their
 * lease tokens stay, so that attempts in flight still record their outcome. The caller holds the endpoint's lock.
 */
export async function discardPending(ctx: InTransaction, endpointId: string): Promise<void> {
  const discarded = await ctx.tx.execute(sql`
    update webhook_deliveries set state = 'discarded', next_attempt_at = null, finished_at = ${ctx.clock.now()}
    where tenant_id = ${opaque(ctx.tenant.id)} and id = any(array(
      select id from webhook_deliveries
      where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId} and state = 'pending'
      order by next_attempt_at limit ${discardMax}))
    returning 1`);
  if (discarded.length === discardMax) enqueue(ctx, discardDeliveriesJob, { endpointId, causeId: newId('job') });
}

/** Discard what is left of the pending deliveries of an endpoint. If it was enabled meanwhile, they are sent. */
export async function discardDeliveries(ctx: Context, { endpointId }: { endpointId: string }): Promise<void> {
  await completeJob(ctx, async (ctx) => {
    const endpoint = await lockRow(ctx, WebhookEndpoint, endpointId);
    if (endpoint?.disabledAt) await discardPending(ctx, endpointId);
  });
}
