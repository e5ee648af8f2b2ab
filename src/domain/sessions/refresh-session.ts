import { transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { seconds } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { deriveTokenWith, readSessionSecret, type SessionSecret } from '../tenants/index.ts';
import { type GrantedSession, type OpenSession, refreshLifeMs, refreshPurpose } from './session.ts';
import { expiredSession, invalidSession, signSession } from './session-token.ts';

/** So long an answer that was lost, or two tabs at once, get the same successor. Later it is somebody else's copy. */
const graceMs = seconds(30);

/** A new token for a session that is open. How long it can be refreshed stays as it is. */
export async function renewToken(ctx: Context, session: OpenSession): Promise<GrantedSession> {
  const secret = await readSessionSecret(ctx);
  return grant(ctx, secret, session, null);
}

/**
 * Exchange a refresh token for its successor and a new session token, for another 30 days. The successor hangs on the
 * token and the store's secret alone, so that whoever asks again gets the same one.
 *
 * @throws DomainError unauthenticated `invalid_session`: also for a token that was exchanged before, and then the whole
 *   session is over, for one of its two holders is a thief; or `expired_session`
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
  // Thrown out here: inside, the end of the session would be undone with it.
  if (!session) throw invalidSession();
  return grant(ctx, secret, session, successor);
}

interface FoundToken extends OpenSession {
  readonly rotatedAt: Date | null;
}

/** Both rows are locked: whoever waited sees what the one before has made of the token. */
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
