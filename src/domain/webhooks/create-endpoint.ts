import { transact } from '#src/database/transact.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { buildEndpoint, findByUrl, rejectUnsafeUrl, urlIssue } from './build-endpoint.ts';
import type { EndpointInput } from './endpoint-input.ts';
import { presentEndpoint, type WebhookEndpointView } from './present.ts';
import { newSecret } from './secret.ts';

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
  return transact(ctx, async (ctx) => {
    if (await findByUrl(ctx, input.url)) throw urlIssue('There is an endpoint of this address already.');
    const endpoint = presentEndpoint(await buildEndpoint(ctx, input, secret));
    const subject = { subjectKind: 'webhook_endpoint', subjectId: endpoint.id };
    await recordAudit(ctx, { action: 'webhook_endpoint.created', ...subject, after: endpoint });
    return { endpoint, secret };
  });
}
