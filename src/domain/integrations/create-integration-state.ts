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
import { callSecretOf } from './calls.ts';
import { type Connection, connectionColumns } from './connections.ts';

/** How long the owner may take to consent at the third party. */
const lifetimeMs = minutes(30);

/** What connects the owner's browser, a third party and this store during the consent. */
export interface IntegrationState {
  readonly connection: Connection;
  /** Derived with the store's secret. It identifies the store and the connection when the browser returns. */
  readonly state: string;
  /** Where the third party should send the browser back. */
  readonly callbackUrl: string;
  /** The third party's consent page with both as query parameters; null when no `consentUrl` was given. */
  readonly openUrl: string | null;
  /** Where the third party may send calls afterwards, and the secret that signs them. */
  readonly calls: { readonly url: string; readonly secret: string };
}

export interface IntegrationRequest {
  readonly provider: string;
  /** Where the owner's browser continues after the consent. */
  readonly returnUrl: string;
  /** The third party's consent page, with what it needs, such as a client id, in its query. */
  readonly consentUrl?: string | null | undefined;
}

/**
 * Start connecting the store to a third party.
 * @throws DomainError `invalid_request` when a URL is not https (http is allowed in local mode)
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
      values (${ctx.tenant.id}, ${id}, ${provider}, ${sha256(state)}, ${normalizeUrl(returnUrl)},
        ${fromNow(ctx.clock, lifetimeMs)}, ${ctx.clock.now()})
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
