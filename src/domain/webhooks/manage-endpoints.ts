import { lockRow } from '#src/database/rows.ts';
import { transact, writeRows } from '#src/database/transact.ts';
import { seconds } from '#src/lib/duration.ts';
import { found, serviceUnavailable } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { newSecret, replaceSecret } from './endpoint-secrets.ts';
import { wakeEveryLease } from './endpoint-wakes.ts';
import { presentEndpoint, readEndpoint, type WebhookEndpointView } from './read-endpoints.ts';
import { discardPending } from './redeliver.ts';
import {
  assignEndpoint,
  buildEndpoint,
  type EndpointInput,
  type EndpointPatch,
  rejectTakenUrl,
  rejectUnsafeUrl,
} from './save-endpoint.ts';
import { rejectDisabled, WebhookEndpoint } from './webhook-endpoint.ts';

/**
 * Create an endpoint. Its secret is returned here and never again.
 * @throws DomainError `invalid_request` when the URL may not be called or already has an endpoint
 */
export async function createEndpoint(
  ctx: Context,
  input: EndpointInput,
): Promise<{ endpoint: WebhookEndpointView; secret: string }> {
  await rejectUnsafeUrl(ctx, input.url, { resolve: true });
  const secret = newSecret();
  const creating = transact(ctx, async (ctx) => {
    const endpoint = presentEndpoint(ctx, await buildEndpoint(ctx, input, secret));
    const subject = { subjectKind: 'webhook_endpoint', subjectId: endpoint.id };
    await recordAudit(ctx, { action: 'webhook_endpoint.created', ...subject, after: endpoint });
    return { endpoint, secret };
  });
  return rejectTakenUrl(creating);
}

/**
 * Change an endpoint. Fields that are left out stay as they are.
 * @throws DomainError `not_found`, or `invalid_request` when the URL may not be called or already has an endpoint
 */
export async function updateEndpoint(
  ctx: Context,
  change: EndpointPatch & { id: string },
): Promise<WebhookEndpointView> {
  const { id, ...patch } = change;
  if (patch.url !== undefined) await rejectUnsafeUrl(ctx, patch.url, { resolve: true });
  const updating = changeAndAudit(ctx, id, 'updated', async (ctx, endpoint) => {
    await assignEndpoint(ctx, endpoint, patch);
  });
  return rejectTakenUrl(updating);
}

/** So many deliveries are deleted at once, for so long, before an endpoint is removed. */
const batchSize = 5000;
const emptyingMs = seconds(10);

/**
 * Remove an endpoint with all its deliveries. Most of them are deleted before, batch by batch: transactions that record
 * events wait for the one that removes the endpoint.
 * @throws DomainError `not_found`, or `service_unavailable` when many deliveries are left after `withinMs`
 */
export async function removeEndpoint(ctx: Context, { id, withinMs = emptyingMs }: EndpointRemoval): Promise<void> {
  const endsAt = performance.now() + withinMs;
  while ((await deleteBatch(ctx, id)) === batchSize) {
    if (performance.now() > endsAt) throw deliveriesLeft();
  }
  await changeAndAudit(ctx, id, 'removed', async (ctx) => {
    await ctx.tx.execute(sql`delete from webhook_endpoints where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  });
}

interface EndpointRemoval {
  readonly id: string;
  readonly withinMs?: number;
}

const deliveriesLeft = () =>
  serviceUnavailable(
    'This endpoint has very many deliveries, and some of them are deleted. Send the request again to delete the others.',
    1,
  );

/** @returns how many deliveries were deleted; those that a drain is just writing are left */
async function deleteBatch(ctx: Context, endpointId: string): Promise<number> {
  const deleted = await writeRows(
    ctx,
    sql`
    delete from webhook_deliveries where ctid = any(array(
      select ctid from webhook_deliveries
      where tenant_id = ${ctx.tenant.id} and endpoint_id = ${endpointId}
      order by id limit ${batchSize} for update skip locked))
    returning 1`,
  );
  return deleted.length;
}

/**
 * Enable an endpoint and reset its failures. What was discarded is not sent; `recoverDeliveries` does that.
 * @throws DomainError `not_found`
 */
export async function enableEndpoint(ctx: Context, { id }: { id: string }): Promise<WebhookEndpointView> {
  return changeAndAudit(ctx, id, 'enabled', async (ctx, endpoint) => {
    if (!endpoint.disabledAt) return;
    endpoint.enable(ctx.clock.now());
    // An event that was recorded while the endpoint was being disabled may have left a pending delivery.
    wakeEveryLease(ctx, endpoint);
  });
}

/**
 * Disable an endpoint. Its pending deliveries, and those of later events, are discarded until it is enabled again.
 * @throws DomainError `not_found`
 */
export async function disableEndpoint(ctx: Context, { id }: { id: string }): Promise<WebhookEndpointView> {
  return changeAndAudit(ctx, id, 'disabled', async (ctx, endpoint) => {
    if (endpoint.disabledAt) return;
    endpoint.disable('owner', ctx.clock.now());
    await discardPending(ctx, id);
  });
}

/**
 * Sign with a new secret from now on, and with the old one too for a day. The new one is returned here and never again.
 * @throws DomainError `not_found`, or `rate_limited` after five rotations within a day
 */
export async function rotateSecret(ctx: Context, { id }: { id: string }): Promise<{ secret: string }> {
  const secret = newSecret();
  await changeAndAudit(ctx, id, 'secret_rotated', async (ctx, endpoint) => {
    replaceSecret(ctx, endpoint, secret);
  });
  return { secret };
}

/**
 * Send `webhook.test` to an endpoint, whatever it subscribes to. The event's object is the endpoint itself.
 * @throws DomainError `not_found`, or `invalid_request` when it is disabled
 */
export async function sendTestEvent(ctx: Context, { id }: { id: string }): Promise<{ eventId: string }> {
  return transact(ctx, async (ctx) => {
    // Not locked: a final check that has begun waits for that lock, and the event would wait for the check.
    rejectDisabled(found(await readEndpoint(ctx, id), 'webhook endpoint'));
    const eventId = recordEvent(ctx, 'webhook.test', id);
    const subject = { subjectKind: 'webhook_endpoint', subjectId: id };
    await recordAudit(ctx, { action: 'webhook_endpoint.tested', ...subject });
    return { eventId };
  });
}

/**
 * Change an endpoint and record the change in the audit log, in one transaction.
 * @throws DomainError `not_found`
 */
async function changeAndAudit(
  ctx: Context,
  id: string,
  action: string,
  change: (ctx: InTransaction, endpoint: WebhookEndpoint) => Promise<void>,
): Promise<WebhookEndpointView> {
  return transact(ctx, async (ctx) => {
    const locked = await lockRow(ctx, WebhookEndpoint, id, { forRemoval: action === 'removed' });
    const endpoint = found(locked, 'webhook endpoint');
    const before = presentEndpoint(ctx, endpoint);
    await change(ctx, endpoint);
    const after = presentEndpoint(ctx, endpoint);
    const subject = { subjectKind: 'webhook_endpoint', subjectId: id };
    await recordAudit(ctx, { action: `webhook_endpoint.${action}`, ...subject, before, after });
    return after;
  });
}
