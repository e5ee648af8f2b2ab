import { read, transact } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { PaymentAccount } from '../ports/payment-gateway.ts';
import { openAccount } from './open-account.ts';
import { whileCallerWaits } from './patience.ts';
import { withPaymentErrors } from './provider-refusals.ts';
import { replaceWebhookSecret } from './save-payment-account.ts';

/**
 * Let the provider deliver to this store by an endpoint of our making, and stop the one before: made first, then
 * stored, then the old one disabled, so that at no moment nobody listens. Each step can be repeated: `name` stands
 * for this replacement, and the same one asked again answers the same secret.
 *
 * @returns the new signing secret, to be shown once to who asked for it
 * @throws DomainError when the provider does not do its part
 */
export async function replaceWebhookEndpoint(ctx: Context, { name }: { name: string }): Promise<MadeEndpoint> {
  const account = whileCallerWaits(await openAccount(ctx));
  const url = `${ctx.settings.publicUrl}/api/webhooks/stripe/${ctx.tenant.slug}`;
  const ownName = `${ctx.tenant.slug}:${name}`;
  const key = `endpoint:${ctx.tenant.id}:${name}`;
  const made = await withPaymentErrors(ctx.ports.payments.createEndpoint(account, { url, ownName }, key, ctx.signal));

  const known = await storedEndpoints(ctx);
  if (!known.includes(made.endpointId)) await transact(ctx, (ctx) => replaceWebhookSecret(ctx, made));
  await removeOtherEndpoints(ctx, account, { url, current: made.endpointId, known });
  return made;
}

export interface MadeEndpoint {
  readonly endpointId: string;
  readonly secret: string;
}

/** What else delivers here is disabled; and one of our making is deleted whose secret was never stored. */
async function removeOtherEndpoints(
  ctx: Context,
  account: PaymentAccount,
  { url, current, known }: { url: string; current: string; known: readonly string[] },
): Promise<void> {
  const { payments } = ctx.ports;
  const endpoints = await withPaymentErrors(payments.listEndpoints(account, ctx.signal));
  for (const { endpointId, ownName, isEnabled } of endpoints.filter(
    (other) => other.url === url && other.endpointId !== current,
  )) {
    const isOrphan = ownName !== null && !known.includes(endpointId);
    if (isOrphan) await withPaymentErrors(payments.endEndpoint(account, endpointId, 'delete', ctx.signal));
    else if (isEnabled) await withPaymentErrors(payments.endEndpoint(account, endpointId, 'disable', ctx.signal));
  }
}

async function storedEndpoints(ctx: Context): Promise<string[]> {
  const rows = await read<{ endpointId: string }>(
    ctx,
    sql`
    select provider_endpoint_id as "endpointId" from payment_webhook_secrets
    where tenant_id = ${ctx.tenant.id} and provider_endpoint_id is not null`,
  );
  return rows.map(({ endpointId }) => endpointId);
}
