import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { withAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { checkWebhookEndpoint } from './check-webhook-endpoint.ts';
import { replaceWebhookEndpoint } from './replace-webhook-endpoint.ts';

export interface RegisteredEndpoint {
  readonly endpointId: string;
  readonly url: string;
  /** Whether it was made now; otherwise all was well before. */
  readonly isNew: boolean;
}

/**
 * Let the payment provider deliver to this store: exactly the events that the shop acts on, at an endpoint whose
 * signing secret only we know. One that is well stays, unless it is to be replaced.
 *
 * @throws DomainError when the provider does not do its part
 */
export async function registerWebhookEndpoint(ctx: Context, { replace = false } = {}): Promise<RegisteredEndpoint> {
  const { url, endpointId, faults } = await checkWebhookEndpoint(ctx);
  if (!replace && endpointId && faults.length === 0) return { endpointId, url, isNew: false };
  const made = await replaceWebhookEndpoint(ctx, { name: `registered-${await nextNumber(ctx)}` });
  await withAudit(
    ctx,
    async () => made,
    ({ endpointId }) => ({
      action: 'payment_webhook.registered',
      subjectKind: 'payment_webhook',
      subjectId: endpointId,
      after: { url },
    }),
  );
  return { endpointId: made.endpointId, url, isNew: true };
}

/** The same until the secret is stored: a call that dies before that is made up for by the next, with one endpoint. */
async function nextNumber(ctx: Context): Promise<number> {
  const row = await readOne<{ count: number }>(
    ctx,
    sql`
    select count(*) as count from payment_webhook_secrets where tenant_id = ${ctx.tenant.id}`,
  );
  return (row?.count ?? 0) + 1;
}
