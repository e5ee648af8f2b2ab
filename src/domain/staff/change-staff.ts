import { lockName } from '#src/database/lock-names.ts';
import { transact } from '#src/database/transact.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { DomainError, found } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { Omittable, type Static, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { changedMeanwhile, ExpectedVersion, isOtherVersion, recordAudit } from '../audit/index.ts';
import type { Change } from '../change.ts';
import type { Context, InTransaction } from '../context.ts';
import { enqueueMail } from '../mail/index.ts';
import type { Scope } from '../tenants/index.ts';
import { missingScope, type Role, roles } from './roles.ts';
import { removeTotp } from './second-factor.ts';
import { StaffInput, type StaffMember, staffColumns } from './staff.ts';
import { mailInvitation } from './staff-link.ts';
import { endStaffSessions, invalidStaffSession } from './staff-session.ts';

/**
 * Invite a member, or invite again: they are emailed a link to sign in. One who was revoked may sign in again.
 * @param granted the scopes of the caller, who can grant no others
 * @throws DomainError `insufficient_scope`, `second_factor_required`, `last_owner`, or `rate_limited` after several
 *   emails in an hour
 */
export async function inviteStaff(ctx: Context, input: StaffInput, granted: readonly Scope[]): Promise<StaffMember> {
  return transact(ctx, async (ctx) => {
    const { member, before } = await saveStaff(ctx, input, granted);
    await mailInvitation(ctx, member);
    await record(ctx, 'invited', { before, after: member });
    return member;
  });
}

/** A member who was saved, and as they were before, unless they are new or were revoked. */
interface SavedStaff {
  readonly member: StaffMember;
  readonly before: StaffMember | undefined;
  readonly change: Change;
}

/**
 * Create the member with this email address, or change the existing one. One who was revoked may sign in again. The
 * caller records it in the audit log.
 * @throws DomainError `insufficient_scope`, `second_factor_required`, `last_owner`
 */
export async function saveStaff(
  ctx: InTransaction,
  { email: written, name, role }: StaffInput,
  granted: readonly Scope[],
): Promise<SavedStaff> {
  const email = normaliseEmail(written);
  const held = await lockStaff(ctx, granted);
  const [known] = await ctx.tx.execute<StaffMember>(sql`
    select ${staffColumns} from staff where tenant_id = ${ctx.tenant.id} and email = ${email} and revoked_at is null`);
  if (known) {
    const { member, fields } = await update(ctx, known, { name, role }, held);
    const action = fields.length > 0 ? 'updated' : 'unchanged';
    return { member, before: known, change: { subject: subjectOf(member), action, fields } };
  }
  rejectUnlessGrantable(ctx, held, role);
  const now = ctx.clock.now();
  const [member] = await ctx.tx.execute<StaffMember>(sql`
    insert into staff (tenant_id, id, email, name, role, version, created_at, updated_at)
    values (${ctx.tenant.id}, ${newId('staff')}, ${email}, ${name}, ${role}, 1, ${now}, ${now})
    on conflict (tenant_id, email) do update set name = excluded.name, role = excluded.role, revoked_at = null,
      signed_in_at = null, version = staff.version + 1, updated_at = excluded.updated_at
    returning ${staffColumns}`);
  if (!member) throw new TypeError('The member that was just stored does not exist.');
  if (role === 'owner') await mailOwners(ctx, member);
  return { member, before: undefined, change: { subject: subjectOf(member), action: 'created', fields: [] } };
}

/** Enough of the email address for an operator to recognize it. The audit log stores it. */
export const subjectOf = ({ email }: StaffMember): string => `staff ${mask(email)}`;

const mask = (email: string) => `${email.slice(0, 1)}…${email.slice(email.indexOf('@'))}`;

/** What of a member can be changed. */
export const StaffPatch = Type.Object({
  name: Omittable(StaffInput.properties.name),
  role: Omittable(StaffInput.properties.role),
  version: ExpectedVersion,
});
export type StaffPatch = Static<typeof StaffPatch>;

/**
 * Change the name or the role of a member. A new role takes effect with the next request of theirs.
 * @throws DomainError `not_found`, `version_conflict`, `insufficient_scope`, `second_factor_required`, `last_owner`
 */
export async function changeStaff(
  ctx: Context,
  { id, ...patch }: StaffPatch & { id: string },
  granted: readonly Scope[],
): Promise<StaffMember> {
  return transact(ctx, async (ctx) => {
    const held = await lockStaff(ctx, granted);
    const known = found(await findActive(ctx, id), 'staff member');
    if (isOtherVersion(known, patch.version)) throw changedMeanwhile({ kind: 'staff_member' });
    const { member, fields } = await update(ctx, known, patch, held);
    if (fields.length > 0) await record(ctx, 'updated', { before: known, after: member, fields });
    return member;
  });
}

/**
 * Revoke a member: their sessions and links end at once. One who was revoked before stays as they are.
 * @throws DomainError `not_found`, `insufficient_scope`, `second_factor_required`, `last_owner`
 */
export async function revokeStaff(
  ctx: Context,
  { id }: { id: string },
  granted: readonly Scope[],
): Promise<StaffMember> {
  return transact(ctx, async (ctx) => {
    const held = await lockStaff(ctx, granted);
    const known = found(await find(ctx, id), 'staff member');
    if (known.revokedAt) return known;
    rejectUnlessGrantable(ctx, held, known.role);
    if (known.role === 'owner') await rejectLastOwner(ctx, known);
    const now = ctx.clock.now();
    const [member] = await ctx.tx.execute<StaffMember>(sql`
      update staff set revoked_at = ${now}, version = version + 1, updated_at = ${now}
      where tenant_id = ${ctx.tenant.id} and id = ${id} returning ${staffColumns}`);
    await removeTotp(ctx, id);
    await endStaffSessions(ctx, { staffId: id, reason: 'staff_revoked' });
    await ctx.tx.execute(sql`
      update staff_links set expires_at = ${now}
      where tenant_id = ${ctx.tenant.id} and email = ${known.email} and used_at is null and expires_at > ${now}`);
    await record(ctx, 'revoked', { before: known });
    return member ?? known;
  });
}

/**
 * Changes of a store's staff wait for each other. A member who was revoked or got another role while the request
 * was on its way has only what is left.
 * @returns the scopes of the caller
 */
async function lockStaff(ctx: InTransaction, granted: readonly Scope[]): Promise<readonly Scope[]> {
  await lockName(ctx, 'staff', 'all');
  if (ctx.actor.kind !== 'staff') return granted;
  const caller = await findActive(ctx, ctx.actor.id);
  if (!caller) throw invalidStaffSession();
  return roles[caller.role];
}

async function update(
  ctx: InTransaction,
  known: StaffMember,
  wanted: { readonly name?: string | null | undefined; readonly role?: Role | null | undefined },
  held: readonly Scope[],
): Promise<{ member: StaffMember; fields: readonly string[] }> {
  const name = wanted.name ?? known.name;
  const role = wanted.role ?? known.role;
  const fields = [...(name === known.name ? [] : ['name']), ...(role === known.role ? [] : ['role'])];
  if (fields.length === 0) return { member: known, fields };
  for (const each of [known.role, role]) rejectUnlessGrantable(ctx, held, each);
  if (known.role === 'owner' && role !== 'owner') await rejectLastOwner(ctx, known);
  const [member] = await ctx.tx.execute<StaffMember>(sql`
    update staff set name = ${name}, role = ${role}, version = version + 1, updated_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and id = ${known.id} returning ${staffColumns}`);
  if (!member) throw new TypeError('The member that was just changed does not exist.');
  if (role === 'owner' && known.role !== 'owner') await mailOwners(ctx, member);
  return { member, fields };
}

async function find(ctx: InTransaction, id: string): Promise<StaffMember | undefined> {
  const [member] = await ctx.tx.execute<StaffMember>(sql`
    select ${staffColumns} from staff where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  return member;
}

async function findActive(ctx: InTransaction, id: string): Promise<StaffMember | undefined> {
  const member = await find(ctx, id);
  return member?.revokedAt ? undefined : member;
}

/**
 * A caller neither grants nor takes away more than they hold. A key changes no owner: a verified session of theirs
 * replaces the one-time password that a key needs.
 */
function rejectUnlessGrantable({ actor }: InTransaction, held: readonly Scope[], role: Role): void {
  const missing = missingScope(held, role);
  if (missing) {
    throw new DomainError('forbidden', 'insufficient_scope', `The role ${role} may do more than you may.`, {
      extensions: { required_scope: missing },
    });
  }
  if (role !== 'owner' || actor.kind !== 'key') return;
  throw new DomainError(
    'forbidden',
    'second_factor_required',
    'An API key can neither add, change nor revoke an owner. Sign in to the admin as an owner, or ask an operator.',
  );
}

/** Notify those who work as owners that there is another one: nobody becomes one unnoticed. */
async function mailOwners(ctx: InTransaction, { id }: StaffMember): Promise<void> {
  const others = await ctx.tx.execute<{ email: string }>(sql`
    select email from staff
    where tenant_id = ${ctx.tenant.id} and role = 'owner' and revoked_at is null and signed_in_at is not null
      and id <> ${id}`);
  for (const { email: to } of others) enqueueMail(ctx, { kind: 'staff_owner_added', to, subjectId: id, data: {} });
}

/** Without an owner, the staff could not invite another one; and an invitation may have the wrong address. */
async function rejectLastOwner(ctx: InTransaction, { id }: StaffMember): Promise<void> {
  const owners = await ctx.tx.execute<{ id: string; hasSignedIn: boolean }>(sql`
    select id, signed_in_at is not null as "hasSignedIn" from staff
    where tenant_id = ${ctx.tenant.id} and role = 'owner' and revoked_at is null`);
  const leaving = owners.find((owner) => owner.id === id);
  const others = owners.filter((owner) => owner !== leaving);
  if (others.some(({ hasSignedIn }) => hasSignedIn || !leaving?.hasSignedIn)) return;
  const detail =
    others.length === 0
      ? 'This is the only owner of the store. Invite another one first.'
      : 'No other owner of the store has signed in yet. Wait until one has.';
  throw new DomainError('conflict', 'last_owner', detail);
}

/** The audit log stores no email and no name, so that a member can be erased. */
function record(
  ctx: InTransaction,
  verb: 'invited' | 'updated' | 'revoked',
  change: { before?: StaffMember | undefined; after?: StaffMember; fields?: readonly string[] },
): Promise<void> {
  const { before, after, fields } = change;
  return recordAudit(ctx, {
    action: `staff.${verb}`,
    subjectKind: 'staff',
    subjectId: (after ?? before)?.id ?? '',
    before: before && { role: before.role },
    after: after && { role: after.role, ...(fields && { changed: fields }) },
  });
}
