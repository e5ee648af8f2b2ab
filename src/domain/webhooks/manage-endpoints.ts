import { transact } from '#src/database/transact.ts';
import { found } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockEndpoint } from './claim-deliveries.ts';
import type { EndpointInput, EndpointPatch } from './endpoint-input.ts';
import { wakeEndpoints } from './endpoint-leases.ts';
import { presentEndpoint, type WebhookEndpointView } from './read-endpoints.ts';
import { discardPending } from './redeliver.ts';
import { assignEndpoint, buildEndpoint, rejectTakenUrl, rejectUnsafeUrl } from './save-endpoint.ts';
import { newSecret, sealSecret } from './signing.ts';
import { rejectDisabled, type WebhookEndpoint } from './webhook-endpoint.ts';

/**
 * Create an endpoint. Its secret is told here and never again.
 * @throws DomainError `invalid_request` when the address may not be called, or has an endpoint already
 */
export async function createEndpoint(
  ctx: Context,
  input: EndpointInput,
): Promise<{ endpoint: WebhookEndpointView; secret: string }> {
  await rejectUnsafeUrl(ctx, input.url, { resolve: true });
  const secret = newSecret();
  const creating = transact(ctx, async (ctx) => {
    const endpoint = presentEndpoint(await buildEndpoint(ctx, input, secret));
    const subject = { subjectKind: 'webhook_endpoint', subjectId: endpoint.id };
    await recordAudit(ctx, { action: 'webhook_endpoint.created', ...subject, after: endpoint });
    return { endpoint, secret };
  });
  return rejectTakenUrl(creating);
}

/**
 * Change an endpoint; whatever is left out stays.
 * @throws DomainError `not_found`, or `invalid_request` when the address may not be called or has an endpoint already
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

/**
 * Remove an endpoint with everything that was or would have been delivered to it.
 * @throws DomainError `not_found`
 */
export async function removeEndpoint(ctx: Context, { id }: { id: string }): Promise<void> {
  await changeAndAudit(ctx, id, 'removed', async (ctx) => {
    await ctx.tx.execute(sql`delete from webhook_endpoints where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  });
}

/**
 * Switch an endpoint on again; it starts with a clean record. What it missed is offered to `recoverDeliveries`.
 * @throws DomainError `not_found`
 */
export async function enableEndpoint(ctx: Context, { id }: { id: string }): Promise<WebhookEndpointView> {
  return changeAndAudit(ctx, id, 'enabled', async (ctx, endpoint) => {
    if (!endpoint.disabledAt) return;
    endpoint.enable(ctx.clock.now());
    // An event that was fanned out just as it was switched off may wait for it.
    wakeEndpoints(ctx, endpoint);
  });
}

/**
 * Switch an endpoint off. What waits for it is put aside, and so is what comes.
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
 * Sign with a new secret from now on, and with the old one too for a day. The new one is told here and never again.
 * @throws DomainError `not_found`
 */
export async function rotateSecret(ctx: Context, { id }: { id: string }): Promise<{ secret: string }> {
  const secret = newSecret();
  await changeAndAudit(ctx, id, 'secret_rotated', async (ctx, endpoint) => {
    endpoint.rotateSecret(sealSecret(ctx, secret), ctx.clock.now());
  });
  return { secret };
}

/**
 * Send `webhook.test` to an endpoint, whatever it chose. It is about the endpoint itself.
 * @throws DomainError `not_found`, or `invalid_request` when it is switched off
 */
export async function sendTestEvent(ctx: Context, { id }: { id: string }): Promise<{ eventId: string }> {
  let eventId = '';
  await changeAndAudit(ctx, id, 'tested', async (ctx, endpoint) => {
    rejectDisabled(endpoint);
    eventId = recordEvent(ctx, 'webhook.test', id);
  });
  return { eventId };
}

/**
 * Change an endpoint that its owner named, and write that into the audit log.
 * @throws DomainError `not_found`
 */
async function changeAndAudit(
  ctx: Context,
  id: string,
  action: string,
  change: (ctx: InTransaction, endpoint: WebhookEndpoint) => Promise<void>,
): Promise<WebhookEndpointView> {
  return transact(ctx, async (ctx) => {
    const endpoint = found(await lockEndpoint(ctx, id), 'webhook endpoint');
    const before = presentEndpoint(endpoint);
    await change(ctx, endpoint);
    const after = presentEndpoint(endpoint);
    const subject = { subjectKind: 'webhook_endpoint', subjectId: id };
    await recordAudit(ctx, { action: `webhook_endpoint.${action}`, ...subject, before, after });
    return after;
  });
}
