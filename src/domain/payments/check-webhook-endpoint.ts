import { read, readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { openAccount } from './open-account.ts';
import { withPaymentErrors } from './provider-refusals.ts';

/**
 * What keeps events from arriving, or from being believed.
 *
 *   not_registered   no endpoint of the provider's leads here
 *   disabled         one does, and it is switched off
 *   lacks_events     it is not told everything that the shop acts on
 *   no_secret        we have no secret to check its signatures with
 *   other_secret     we have one, and it is another endpoint's
 */
export type EndpointFault = 'not_registered' | 'disabled' | 'lacks_events' | 'no_secret' | 'other_secret';

export interface EndpointCheck {
  readonly url: string;
  /** The endpoint at the provider that leads here; undefined where there is none. */
  readonly endpointId: string | undefined;
  readonly faults: readonly EndpointFault[];
  readonly lacks: readonly string[];
  /** When an event last arrived by webhook. */
  readonly eventReceivedAt: Date | null;
}

/**
 * Ask the payment provider whether and what it delivers to this store.
 * @throws DomainError when the provider does not answer
 */
export async function checkWebhookEndpoint(ctx: Context): Promise<EndpointCheck> {
  const account = await openAccount(ctx);
  const url = `${ctx.settings.publicUrl}/api/webhooks/stripe/${ctx.tenant.slug}`;
  const all = await withPaymentErrors(ctx.ports.payments.listEndpoints(account, ctx.signal));
  const endpoints = all.filter((other) => other.url === url);
  const secrets = await liveSecrets(ctx);
  const trusted = secrets.map(({ endpointId }) => endpointId);
  const living = endpoints.filter(({ isEnabled }) => isEnabled);
  const endpoint = living.find(({ endpointId }) => trusted.includes(endpointId)) ?? living[0] ?? endpoints[0];

  const faults: EndpointFault[] = [];
  if (!endpoint) faults.push('not_registered');
  else if (!endpoint.isEnabled) faults.push('disabled');
  else if (endpoint.lacks.length > 0) faults.push('lacks_events');
  if (secrets.length === 0) faults.push('no_secret');
  else if (endpoint && !trusted.includes(null) && !trusted.includes(endpoint.endpointId)) faults.push('other_secret');
  return {
    url,
    endpointId: endpoint?.endpointId,
    faults,
    lacks: endpoint?.lacks ?? [],
    eventReceivedAt: await lastReceivedAt(ctx),
  };
}

/** A secret that an owner typed in names no endpoint: it may be anyone's. */
async function liveSecrets(ctx: Context): Promise<{ endpointId: string | null }[]> {
  return read(
    ctx,
    sql`
    select provider_endpoint_id as "endpointId" from payment_webhook_secrets
    where tenant_id = ${ctx.tenant.id}
      and (state = 'current' or (state = 'retiring' and retires_at > ${ctx.clock.now()}))`,
  );
}

async function lastReceivedAt(ctx: Context): Promise<Date | null> {
  const row = await readOne<{ at: Date | null }>(
    ctx,
    sql`
    select max(received_at) as at from payment_events where tenant_id = ${ctx.tenant.id} and source = 'webhook'`,
  );
  return row?.at ?? null;
}
