import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { transact } from '../database.ts';
import { deriveToken } from '../tenants/index.ts';

/** So long the owner may take to consent at the third party. */
const lifetimeMs = minutes(30);

/** What the owner's browser takes along to a third party, so that what it brings back can be believed. */
export interface IntegrationState {
  readonly connectionId: string;
  /** Signed with the store's secret. It names the store; third party and return address are kept under it. */
  readonly state: string;
  /** Where the third party is to send the browser back. */
  readonly callbackUrl: string;
  readonly expiresAt: Date;
}

/**
 * Begin to connect the store to a third party.
 * @param returnUrl where the owner's browser ends up
 * @throws DomainError `invalid_request` when that is no https address (http in local mode)
 */
export async function createIntegrationState(
  ctx: Context,
  { provider, returnUrl }: { provider: string; returnUrl: string },
): Promise<IntegrationState> {
  refuseUnsafe(returnUrl, ctx.settings.localMode);
  const connectionId = newId('conn');
  const state = await deriveToken(ctx, 'integration.state', connectionId);
  const expiresAt = fromNow(ctx.clock, lifetimeMs);
  await transact(ctx, async (ctx) => {
    await ctx.tx.run(sql`
      insert into integration_connections (tenant_id, id, provider, state_hash, return_url, expires_at, created_at)
      values (${ctx.tenant.id}, ${connectionId}, ${provider}, ${sha256(state)}, ${returnUrl}, ${expiresAt}, ${ctx.clock.now()})`);
    await recordAudit(ctx, {
      action: 'integration.begun', subjectKind: 'integration_connection', subjectId: connectionId, after: { provider },
    });
  });
  const callbackUrl = `${ctx.settings.publicUrl}/api/v1/integrations/${provider}/callback`;
  return { connectionId, state, callbackUrl, expiresAt };
}

function refuseUnsafe(returnUrl: string, localMode: boolean): void {
  const protocol = URL.canParse(returnUrl) ? new URL(returnUrl).protocol : '';
  if (protocol === 'https:' || (localMode && protocol === 'http:')) return;
  const errors = [{ path: '/return_url', code: 'format', detail: 'must be an https address' }];
  throw new DomainError('invalid', 'invalid_request', 'The browser can only return to an https address.', { extensions: { errors } });
}
