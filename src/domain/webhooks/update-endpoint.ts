import type { Context } from '../context.ts';
import { findByUrl, rejectUnsafeUrl, urlIssue } from './build-endpoint.ts';
import { changeNamedEndpoint } from './change-endpoint.ts';
import type { EndpointPatch } from './endpoint-input.ts';
import type { WebhookEndpointView } from './present.ts';
import { changeEndpoint } from './save-endpoint.ts';

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
  return changeNamedEndpoint(ctx, id, 'updated', async (ctx, endpoint) => {
    const other = patch.url === undefined ? undefined : await findByUrl(ctx, patch.url);
    if (other && other.id !== id) throw urlIssue('There is an endpoint of this address already.');
    await changeEndpoint(ctx, endpoint, patch);
  });
}
