import { transact } from '#src/database/transact.ts';
import { found } from '#src/lib/errors.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { lockEndpoint } from './claim-deliveries.ts';
import { presentEndpoint, type WebhookEndpointView } from './present.ts';
import type { WebhookEndpoint } from './webhook-endpoint.ts';

/**
 * Change an endpoint that its owner named, and write that into the audit log.
 * @throws DomainError `not_found`
 */
export async function changeNamedEndpoint(
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
