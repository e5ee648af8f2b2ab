import { read, readOne, transact, writeRows } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { days, hours, minutes } from '#src/lib/duration.ts';
import { DomainError, invalidOrExpired, notFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { presentAs } from '#src/lib/present-as.ts';
import { Id, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { isAmongTheNewest } from '../sessions/index.ts';
import { randomToken } from '../tenants/index.ts';
import { roles } from './roles.ts';
import { presentStaff, type StaffMember, StaffView, staffColumns } from './staff.ts';

/** How long a session may be unused, and how long it lasts at most. */
const idleMs = hours(12);
const lifeMs = days(7);

/** A use prolongs the session only where that is a gain: a page sends many requests at once. */
const prolongedAfterMs = minutes(5);

/** An open session of a member. */
export interface StaffSession {
  readonly id: string;
  readonly createdAt: Date;
  readonly idleExpiresAt: Date;
  readonly expiresAt: Date;
  /** Until when the second factor counts. */
  readonly verifiedUntil: Date | null;
  readonly staff: StaffMember;
}

interface SessionRow extends StaffMember {
  readonly sessionId: string;
  readonly sessionCreatedAt: Date;
  readonly idleExpiresAt: Date;
  readonly expiresAt: Date;
  readonly verifiedUntil: Date | null;
}

const sessionColumns = sql`session.id as "sessionId", session.created_at as "sessionCreatedAt",
  session.idle_expires_at as "idleExpiresAt", session.expires_at as "expiresAt",
  session.verified_until as "verifiedUntil"`;

/** The sessions that nobody ended, of members who were not revoked; their time may be over. Conditions may follow. */
const selectOpenSessions = (ctx: Context): Sql => sql`
  select ${staffColumns}, ${sessionColumns} from staff_sessions session
  join staff on staff.tenant_id = ${ctx.tenant.id} and staff.id = session.staff_id and staff.revoked_at is null
  where session.tenant_id = ${ctx.tenant.id} and session.ended_at is null`;

function toSession({ sessionId, sessionCreatedAt, ...row }: SessionRow): StaffSession {
  const { idleExpiresAt, expiresAt, verifiedUntil, ...staff } = row;
  return { id: sessionId, createdAt: sessionCreatedAt, idleExpiresAt, expiresAt, verifiedUntil, staff };
}

/**
 * Sign in with the token of an emailed link. One conditional update uses it up, so that of concurrent requests only one
 * gets a session.
 *
 * @returns the session with its token, which is stored as a hash only
 * @throws DomainError `invalid_or_expired_token`
 */
export async function consumeStaffLink(
  ctx: Context,
  { token: linkToken }: { token: string },
): Promise<{ session: StaffSession; token: string }> {
  const now = ctx.clock.now();
  const token = randomToken(ctx);
  const session = await transact(ctx, async (ctx) => {
    const [row] = await ctx.tx.execute<SessionRow>(sql`
      with used as (
        update staff_links link set used_at = ${now}
        where tenant_id = ${ctx.tenant.id} and token_hash = ${sha256(linkToken)} and used_at is null
          and expires_at > ${now} and ${isAmongTheNewest('staff_links')}
        returning email),
      first as (
        update staff set signed_in_at = ${now} from used
        where staff.tenant_id = ${ctx.tenant.id} and staff.email = used.email and staff.revoked_at is null
          and staff.signed_in_at is null),
      session as (
        insert into staff_sessions (tenant_id, id, staff_id, token_hash, idle_expires_at, expires_at, created_at)
        select ${ctx.tenant.id}, ${newId('ses')}, staff.id, ${sha256(token)}::bytea,
          ${fromNow(ctx.clock, idleMs)}::timestamptz, ${fromNow(ctx.clock, lifeMs)}::timestamptz, ${now}::timestamptz
        from used join staff on staff.tenant_id = ${ctx.tenant.id} and staff.email = used.email
          and staff.revoked_at is null
        returning *)
      select ${staffColumns}, ${sessionColumns}
      from session join staff on staff.tenant_id = ${ctx.tenant.id} and staff.id = session.staff_id`);
    if (!row) return undefined;
    const { id: subjectId } = row;
    await recordAudit(
      { ...ctx, actor: { kind: 'staff', id: subjectId } },
      { action: 'staff.signed_in', subjectKind: 'staff', subjectId, after: { session_id: row.sessionId } },
    );
    return toSession(row);
  });
  if (!session) throw invalidOrExpired('link');
  return { session, token };
}

/**
 * The session of a token. Its row is read each time, so that signing out, revoking and a new role take effect at once.
 * @throws DomainError unauthenticated `invalid_session`, or `expired_session`
 */
export async function openStaffSession(ctx: Context, token: string): Promise<StaffSession> {
  const now = ctx.clock.now();
  const row = await readOne<SessionRow>(
    ctx,
    sql`
    ${selectOpenSessions(ctx)} and session.token_hash = ${sha256(token)}`,
  );
  if (!row) throw invalidStaffSession();
  if (row.idleExpiresAt <= now || row.expiresAt <= now) throw expiredStaffSession();
  const idleExpiresAt = new Date(Math.min(now.getTime() + idleMs, row.expiresAt.getTime()));
  if (idleExpiresAt.getTime() - row.idleExpiresAt.getTime() < prolongedAfterMs) return toSession(row);
  await writeRows(
    ctx,
    sql`
    update staff_sessions set idle_expires_at = ${idleExpiresAt}
    where tenant_id = ${ctx.tenant.id} and id = ${row.sessionId}
    returning id`,
  );
  return toSession({ ...row, idleExpiresAt });
}

export const invalidStaffSession = () =>
  new DomainError('unauthenticated', 'invalid_session', 'You are not signed in to this store. Sign in again.');
const expiredStaffSession = () =>
  new DomainError('unauthenticated', 'expired_session', 'You have been signed out. Sign in again.');

/** Why sessions end. */
type EndReason = 'signed_out' | 'revoked' | 'staff_revoked';

/** End open sessions of a member: all of them, or one. @returns how many there were */
export async function endStaffSessions(
  ctx: InTransaction,
  { staffId, sessionId, reason }: { staffId: string; sessionId?: string; reason: EndReason },
): Promise<number> {
  const one = sessionId === undefined ? sql`` : sql` and id = ${sessionId}`;
  const ended = await ctx.tx.execute(sql`
    update staff_sessions set ended_at = ${ctx.clock.now()}, end_reason = ${reason}
    where tenant_id = ${ctx.tenant.id} and staff_id = ${staffId}${one} and ended_at is null
    returning id`);
  return ended.length;
}

/** Sign out. Repeating it has no effect. */
export async function signOutStaff(ctx: Context, { id: sessionId, staff }: StaffSession): Promise<void> {
  await transact(ctx, (ctx) => endStaffSessions(ctx, { staffId: staff.id, sessionId, reason: 'signed_out' }));
}

/** The open sessions of a member, the newest first. */
export async function listStaffSessions(ctx: Context, { staffId }: { staffId: string }): Promise<StaffSession[]> {
  const now = ctx.clock.now();
  const rows = await read<SessionRow>(
    ctx,
    sql`
    ${selectOpenSessions(ctx)} and session.staff_id = ${staffId}
      and session.idle_expires_at > ${now} and session.expires_at > ${now}
    order by session.id desc limit ${sessionsMax}`,
  );
  return rows.map(toSession);
}

const sessionsMax = 100;

/** The member whose session this is. @throws DomainError not_found */
export async function findSessionOwner(ctx: Context, sessionId: string): Promise<string> {
  const row = await readOne<{ staffId: string }>(
    ctx,
    sql`
    select staff_id as "staffId" from staff_sessions where tenant_id = ${ctx.tenant.id} and id = ${sessionId}`,
  );
  if (!row) throw notFound('session');
  return row.staffId;
}

/** End a session of a member from elsewhere. One that has ended stays as it is. */
export async function revokeStaffSession(
  ctx: Context,
  { staffId, sessionId }: { staffId: string; sessionId: string },
): Promise<void> {
  await transact(ctx, async (ctx) => {
    if ((await endStaffSessions(ctx, { staffId, sessionId, reason: 'revoked' })) === 0) return;
    await recordAudit(ctx, {
      action: 'staff.session_revoked',
      subjectKind: 'staff',
      subjectId: staffId,
      after: { session_id: sessionId },
    });
  });
}

/** A session in a list. */
export const StaffSessionView = Type.Object(
  {
    id: Id('ses'),
    created_at: Timestamp,
    /** It ends then unless it is used. */
    idle_expires_at: Timestamp,
    expires_at: Timestamp,
    /** Until when operations that need the second factor are allowed. */
    verified_until: Nullable(Timestamp),
  },
  { title: 'StaffSession' },
);

export function presentStaffSession(session: StaffSession, now: Date): Static<typeof StaffSessionView> {
  const { verifiedUntil } = session;
  return presentAs(StaffSessionView, {
    ...session,
    verifiedUntil: verifiedUntil && verifiedUntil > now ? verifiedUntil : null,
  });
}

/** Who is signed in, where, and what they may do. */
export const SignedInView = Type.Object(
  {
    session: StaffSessionView,
    staff: Type.Pick(StaffView, ['id', 'email', 'name', 'role', 'second_factor']),
    store: Type.Object({
      slug: Type.String({ examples: ['cedar-and-clay'] }),
      name: Type.String({ examples: ['Cedar & Clay'] }),
      currency: Type.String({ examples: ['USD'] }),
      /** Since when its storefront is closed. */
      closed_at: Nullable(Timestamp),
    }),
    scopes: Type.Array(Type.String(), { examples: [['admin.orders:read']] }),
  },
  { title: 'SignedIn' },
);

export function presentSignedIn({ tenant, clock }: Context, session: StaffSession): Static<typeof SignedInView> {
  const { id, email, name, role, second_factor } = presentStaff(session.staff);
  return {
    session: presentStaffSession(session, clock.now()),
    staff: { id, email, name, role, second_factor },
    store: {
      slug: tenant.slug,
      name: tenant.name,
      currency: tenant.currency,
      closed_at: tenant.closedAt?.toISOString() ?? null,
    },
    scopes: [...roles[role]],
  };
}
