import { write } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { invalidOrExpired } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { deriveTokenWith, readSessionSecret } from '../tenants/index.ts';
import { isAmongTheNewest } from './link-limits.ts';
import { type GrantedSession, type OpenSession, refreshLifeMs, refreshPurpose } from './session.ts';
import { signSession } from './session-token.ts';

/**
 * Sign in with the token of an emailed link. One conditional update uses it up, so that of concurrent requests only one
 * gets a session. If the link was requested with a challenge, a request without the verifier does not use it up: a mail
 * scanner cannot consume it.
 *
 * @throws DomainError `invalid_or_expired_token`
 */
export async function consumeLink(
  ctx: Context,
  { token, codeVerifier }: { token: string; codeVerifier: string | null },
): Promise<GrantedSession> {
  const now = ctx.clock.now();
  const id = newId('ses');
  const secret = await readSessionSecret(ctx);
  const refreshToken = deriveTokenWith(ctx, secret, refreshPurpose, id);
  const refreshExpiresAt = fromNow(ctx.clock, refreshLifeMs);

  const [customer] = await write<OpenSession['customer']>(
    ctx,
    sql`
    used as (
      update sign_in_links link set used_at = ${now}
      where tenant_id = ${ctx.tenant.id} and token_hash = ${sha256(token)} and used_at is null and expires_at > ${now}
        and secret_number = ${secret.number}
        and (code_challenge is null or code_challenge = ${codeVerifier && challengeOf(codeVerifier)})
        and ${isAmongTheNewest('sign_in_links')}
      returning email),
    opened as (
      insert into sessions (tenant_id, id, customer_id, secret_number, refresh_expires_at, created_at)
      select ${ctx.tenant.id}, ${id}, c.id, ${secret.number}, ${refreshExpiresAt}::timestamptz, ${now}::timestamptz
      from used join customers c on c.tenant_id = ${ctx.tenant.id} and c.email = used.email
      returning id, customer_id),
    stored as (
      insert into refresh_tokens (tenant_id, token_hash, session_id, created_at)
      select ${ctx.tenant.id}, ${sha256(refreshToken)}::bytea, id, ${now}::timestamptz from opened)`,
    sql`
    select c.id, c.email, c.name from opened
    join customers c on c.tenant_id = ${ctx.tenant.id} and c.id = opened.customer_id`,
  );
  if (!customer) throw invalidOrExpired('link');

  const signed = await signSession(ctx, secret, { sessionId: id, customerId: customer.id }, refreshExpiresAt);
  return { id, customer, ...signed, refreshToken, refreshExpiresAt };
}

/** RFC 7636, S256. */
function challengeOf(verifier: string): string {
  return sha256(verifier).toString('base64url');
}
