import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { readSessionSecret } from '../tenants/index.ts';
import type { OpenSession } from './session.ts';
import { invalidSession, verifySession } from './session-token.ts';

interface SessionRow {
  readonly id: string;
  readonly refreshExpiresAt: Date;
  readonly customerId: string;
  readonly email: string;
  readonly name: string | null;
}

/**
 * Who is signed in with this token. Its row is read each time, so that whoever signs out is out at once, everywhere.
 * @throws DomainError unauthenticated `invalid_session`, or `expired_session`
 */
export async function openSession(ctx: Context, token: string): Promise<OpenSession> {
  const secret = await readSessionSecret(ctx);
  const { sessionId, customerId } = await verifySession(ctx, secret, token);
  const row = await readOne<SessionRow>(
    ctx,
    sql`
    select s.id, s.refresh_expires_at as "refreshExpiresAt", c.id as "customerId", c.email, c.name
    from sessions s join customers c on c.tenant_id = ${ctx.tenant.id} and c.id = s.customer_id
    where s.tenant_id = ${ctx.tenant.id} and s.id = ${sessionId} and s.customer_id = ${customerId}
      and s.secret_number = ${secret.number} and s.ended_at is null`,
  );
  if (!row) throw invalidSession();
  return {
    id: row.id,
    refreshExpiresAt: row.refreshExpiresAt,
    customer: { id: row.customerId, email: row.email, name: row.name },
  };
}
