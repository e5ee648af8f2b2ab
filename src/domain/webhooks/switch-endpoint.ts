import type { Context } from '../context.ts';
import { changeNamedEndpoint } from './change-endpoint.ts';
import { discardPending } from './discard-pending.ts';
import type { WebhookEndpointView } from './present.ts';
import { wakeEndpoints } from './record-outcomes.ts';

/**
 * Switch an endpoint on again; it starts with a clean record. What it missed is offered to `recoverDeliveries`.
 * @throws DomainError `not_found`
 */
export async function enableEndpoint(ctx: Context, { id }: { id: string }): Promise<WebhookEndpointView> {
  return changeNamedEndpoint(ctx, id, 'enabled', async (ctx, endpoint) => {
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
  return changeNamedEndpoint(ctx, id, 'disabled', async (ctx, endpoint) => {
    if (endpoint.disabledAt) return;
    endpoint.disable('owner', ctx.clock.now());
    await discardPending(ctx, id);
  });
}
