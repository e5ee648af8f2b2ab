import { transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { deriveTokenWith, readSessionSecret, type SessionSecret } from '../tenants/index.ts';
import { type GrantedSession, type OpenSession, refreshLifeMs, refreshPurpose } from './session.ts';
import { expiredSession, invalidSession, signSession } from './session-token.ts';

/** For so long a retry, or a second tab, gets the same successor. Reuse after that means a stolen token. */
const graceMs = seconds(30);

/** A new session token for an open session. Its refresh period stays as it is. */
export async function renewToken(ctx: Context, session: OpenSession): Promise<GrantedSession> {
  const secret = await readSessionSecret(ctx);
  return grant(ctx, secret, session, null);
}

/**
 * Exchange a refresh token for its successor and a new session token, for another 30 days. The successor is derived
 * from the token and the store's secret alone, so a repeated request gets the same one.
 *
 * @throws DomainError unauthenticated `invalid_session`: also for a token that was exchanged before, which ends the
 *   whole session, as one of its two holders must have stolen it; or `expired_session`
 */
export async function rotateSession(ctx: Context, token: string): Promise<GrantedSession> {
  const secret = await readSessionSecret(ctx);
  const successor = deriveTokenWith(ctx, secret, refreshPurpose, token);
  const session = await transact(ctx, async (ctx) => {
    const found = await lockToken(ctx, secret, token);
    if (!found) return undefined;
    const now = ctx.clock.now();
    if (found.refreshExpiresAt <= now) throw expiredSession();
    if (!found.rotatedAt) return rotate(ctx, found, token, successor);
    if (now.getTime() - found.rotatedAt.getTime() <= graceMs) return found;
    await ctx.tx.execute(sql`
      update sessions set ended_at = ${now}, end_reason = 'token_reused'
      where tenant_id = ${ctx.tenant.id} and id = ${found.id}`);
    return undefined;
  });
  // Thrown after the transaction, which would otherwise roll back the end of the session.
  if (!session) throw invalidSession();
  return grant(ctx, secret, session, successor);
}

interface FoundToken extends OpenSession {
  readonly rotatedAt: Date | null;
}

/** Locks both rows, so that a concurrent request sees the token as rotated. */
async function lockToken(ctx: InTransaction, secret: SessionSecret, token: string): Promise<FoundToken | undefined> {
  const [found] = await ctx.tx.execute<FoundToken>(sql`
    select s.id, s.refresh_expires_at as "refreshExpiresAt", t.rotated_at as "rotatedAt",
      (select jsonb_build_object('id', c.id, 'email', c.email, 'name', c.name) from customers c
        where c.tenant_id = s.tenant_id and c.id = s.customer_id) as customer
    from refresh_tokens t join sessions s on s.tenant_id = ${ctx.tenant.id} and s.id = t.session_id
    where t.tenant_id = ${ctx.tenant.id} and t.token_hash = ${sha256(token)}
      and s.ended_at is null and s.secret_number = ${secret.number}
    for update of s, t`);
  return found;
}

async function rotate(ctx: InTransaction, session: FoundToken, token: string, successor: string): Promise<OpenSession> {
  const now = ctx.clock.now();
  const refreshExpiresAt = fromNow(ctx.clock, refreshLifeMs);
  await ctx.tx.execute(sql`
    with rotated as (
      update refresh_tokens set rotated_at = ${now}
      where tenant_id = ${ctx.tenant.id} and token_hash = ${sha256(token)}
      returning session_id),
    stored as (
      insert into refresh_tokens (tenant_id, token_hash, session_id, created_at)
      select ${ctx.tenant.id}, ${sha256(successor)}::bytea, session_id, ${now}::timestamptz from rotated)
    update sessions set refresh_expires_at = ${refreshExpiresAt}
    where tenant_id = ${ctx.tenant.id} and id = ${session.id}`);
  return { ...session, refreshExpiresAt };
}

async function grant(
  ctx: Context,
  secret: SessionSecret,
  { id, customer, refreshExpiresAt }: OpenSession,
  refreshToken: string | null,
): Promise<GrantedSession> {
  const signed = await signSession(ctx, secret, { sessionId: id, customerId: customer.id }, refreshExpiresAt);
  return { id, customer, refreshExpiresAt, ...signed, refreshToken };
}
