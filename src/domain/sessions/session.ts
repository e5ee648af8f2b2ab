import { readOne, writeRows } from '#src/database/transact.ts';
import { days } from '#src/lib/duration.ts';
import { presentAs } from '#src/lib/present-as.ts';
import { Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { type Customer, CustomerView, presentCustomer } from '../customers/index.ts';
import { readSessionSecret } from '../tenants/index.ts';
import { invalidSession, type SignedToken, verifySession } from './session-token.ts';

/** An open session with its customer, as read from the database. */
export interface OpenSession {
  readonly id: string;
  readonly customer: Pick<Customer, 'id' | 'email' | 'name'>;
  /** Until when it can be refreshed. */
  readonly refreshExpiresAt: Date;
}

/** What a storefront gets to keep a shopper signed in. */
export interface GrantedSession extends OpenSession, SignedToken {
  /** Null when only the session token was renewed. */
  readonly refreshToken: string | null;
}

/** How long a session can be refreshed after the last refresh. */
export const refreshLifeMs = days(30);

/** The purpose of refresh tokens: the first is derived from the session's id, each further one from its predecessor. */
export const refreshPurpose = 'session.refresh';

/**
 * The session of a token. Its row is read each time, so that signing out takes effect at once.
 * @throws DomainError unauthenticated `invalid_session`, or `expired_session`
 */
export async function openSession(ctx: Context, token: string): Promise<OpenSession> {
  const secret = await readSessionSecret(ctx);
  const { sessionId, customerId } = await verifySession(ctx, secret, token);
  const session = await readOne<OpenSession>(
    ctx,
    sql`
    select s.id, s.refresh_expires_at as "refreshExpiresAt",
      json_build_object('id', c.id, 'email', c.email, 'name', c.name) as customer
    from sessions s join customers c on c.tenant_id = ${ctx.tenant.id} and c.id = s.customer_id
    where s.tenant_id = ${ctx.tenant.id} and s.id = ${sessionId} and s.customer_id = ${customerId}
      and s.secret_number = ${secret.number} and s.ended_at is null`,
  );
  if (!session) throw invalidSession();
  return session;
}

/** Sign out: the session token and its refresh tokens stop working. Repeating it has no effect. */
export async function endSession(ctx: Context, sessionId: string): Promise<void> {
  await writeRows(
    ctx,
    sql`
    update sessions set ended_at = ${ctx.clock.now()}, end_reason = 'signed_out'
    where tenant_id = ${ctx.tenant.id} and id = ${sessionId} and ended_at is null
    returning id`,
  );
}

/** The response to signing in and to refreshing. */
export const SessionView = Type.Object(
  {
    session_token: Type.String({ examples: ['eyJhbGciOiJIUzI1NiJ9.eyJzaWQiOiJzZXNfIn0.c2ln'] }),
    token_type: Type.Literal('Bearer'),
    /** Seconds. */
    expires_in: Type.Integer({ examples: [900] }),
    expires_at: Timestamp,
    /** Replaces the one that was sent; null when none was sent. */
    refresh_token: Nullable(Type.String()),
    refresh_expires_at: Timestamp,
    customer: CustomerView,
  },
  { title: 'Session' },
);

export function presentSession(session: GrantedSession): Static<typeof SessionView> {
  return presentAs(SessionView, {
    ...session,
    sessionToken: session.token,
    tokenType: 'Bearer',
    expiresIn: session.expiresInSeconds,
    customer: presentCustomer(session.customer),
  });
}
