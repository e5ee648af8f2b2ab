import { transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { found } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { normalizeUrl } from '#src/lib/url.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { rejectInsecureUrl } from '../return-url.ts';
import { deriveToken } from '../tenants/index.ts';
import { callSecretOf } from './accept-call.ts';
import { type Connection, connectionColumns } from './connections.ts';

/** So long the owner may take to consent at the third party. */
const lifetimeMs = minutes(30);

/** What the owner's browser takes along to a third party, so that what it brings back can be believed. */
export interface IntegrationState {
  readonly connection: Connection;
  /** Signed with the store's secret. It names the store; third party and return address are kept under it. */
  readonly state: string;
  /** Where the third party is to send the browser back. */
  readonly callbackUrl: string;
  /** The third party's page of consent with both of them, for the owner to open; null where its address was not given. */
  readonly openUrl: string | null;
  /** Where the third party may call afterwards, and the secret that it signs its calls with. */
  readonly calls: { readonly url: string; readonly secret: string };
}

export interface IntegrationRequest {
  readonly provider: string;
  /** Where the owner's browser ends up. */
  readonly returnUrl: string;
  /** The third party's page of consent, with what it asks for, such as a client id, in its query. */
  readonly consentUrl?: string | null | undefined;
}

/**
 * Begin to connect the store to a third party.
 * @throws DomainError `invalid_request` when an address is not https (http in local mode)
 */
export async function createIntegrationState(
  ctx: Context,
  { provider, returnUrl, consentUrl }: IntegrationRequest,
): Promise<IntegrationState> {
  rejectInsecureUrl(ctx, 'return_url', returnUrl);
  if (consentUrl) rejectInsecureUrl(ctx, 'consent_url', consentUrl);
  const id = newId('conn');
  const state = await deriveToken(ctx, 'integration.state', id);
  const connection = await transact(ctx, async (ctx) => {
    const [connection] = await ctx.tx.execute<Connection>(sql`
      insert into integration_connections (tenant_id, id, provider, state_hash, return_url, expires_at, created_at)
      values (${ctx.tenant.id}, ${id}, ${provider}, ${sha256(state)}, ${normalizeUrl(returnUrl)}, ${fromNow(ctx.clock, lifetimeMs)}, ${ctx.clock.now()})
      returning ${connectionColumns}`);
    await recordAudit(ctx, {
      action: 'integration.begun',
      subjectKind: 'integration_connection',
      subjectId: id,
      after: { provider },
    });
    return found(connection, 'integration');
  });
  const callbackUrl = `${ctx.settings.publicUrl}/api/v1/integrations/${provider}/callback`;
  return {
    connection,
    state,
    callbackUrl,
    openUrl: consentUrl ? withQuery(consentUrl, { state, redirect_uri: callbackUrl }) : null,
    calls: { url: withQuery(callbackUrl, { tenant: ctx.tenant.slug }), secret: await callSecretOf(ctx, provider) },
  };
}

function withQuery(address: string, query: Readonly<Record<string, string>>): string {
  const url = new URL(address);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url.href;
}
