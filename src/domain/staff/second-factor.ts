import { transact } from '#src/database/transact.ts';
import { fromNow } from '#src/lib/clock.ts';
import { hmacSha256, randomText } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError, invalidOrExpired, rateLimited } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import { oneTimeCodePattern, requestCode, useNewestCode } from '../confirmations/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { sealedColumn } from '../sealed-column.ts';
import type { StaffMember } from './staff.ts';
import { invalidStaffSession, type StaffSession } from './staff-session.ts';
import { newTotp, timeStepOf, wrongCodesMax, wrongCodesWindowMs } from './totp.ts';

/** How long operations that need the second factor are allowed. */
const verifiedMs = minutes(10);

const recoveryCodesCount = 10;

const recoveryCode = '([^0-9A-Za-z]*[0-9A-Za-z]){10}[^0-9A-Za-z]*';

/** A code of an app, an emailed one, or a recovery code, in any case and grouping. */
export const VerificationCode = Type.String({
  pattern: `${oneTimeCodePattern}|^${recoveryCode}$`,
  maxLength: 40,
  examples: ['123456', 'k7m2p-q9x4t'],
});

const totpField = (staffId: string) => `staff_totp\n${staffId}`;
export const staffSealedColumns = [sealedColumn('staff', 'totp_secret_sealed', totpField)];

/** What a member's codes are checked with, locked until the transaction ends. */
interface Factor {
  readonly staffId: string;
  /** In Base32; null without an app, and where its key is lost: then a recovery code helps. */
  readonly secret: string | null;
  readonly isConfirmed: boolean;
  /** The time step of the last code. */
  readonly step: number;
  readonly wrongCodes: number;
  readonly wrongCodesSince: Date | null;
}

/**
 * Verify the session with a code of the member's app, a recovery code, or without an app the emailed code: for ten
 * minutes it may do what needs the second factor.
 * @throws DomainError `invalid_or_expired_token`, or `rate_limited` after several wrong codes
 */
export async function verifyStaffSession(ctx: Context, session: StaffSession, code: string): Promise<StaffSession> {
  const verifiedUntil = fromNow(ctx.clock, verifiedMs);
  await tryCode(ctx, session, async (ctx, factor) => {
    const method = await methodOf(ctx, session, factor, code);
    if (!method) return false;
    await ctx.tx.execute(sql`
      update staff_sessions set verified_until = ${verifiedUntil}
      where tenant_id = ${ctx.tenant.id} and id = ${session.id}`);
    await record(ctx, session, 'session_verified', { session_id: session.id, method });
    return true;
  });
  return { ...session, verifiedUntil };
}

/** Which kind of code this is; it cannot be used again. `undefined` for a wrong one. */
async function methodOf(
  ctx: InTransaction,
  session: StaffSession,
  factor: Factor,
  code: string,
): Promise<'totp' | 'recovery_code' | 'email' | undefined> {
  if (!factor.isConfirmed) {
    const isRight = await useNewestCode(ctx, { purpose: emailPurpose(session), code });
    return isRight ? 'email' : undefined;
  }
  if (await useTotp(ctx, factor, code)) return 'totp';
  const used = await ctx.tx.execute(sql`
    update staff_recovery_codes set used_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id} and staff_id = ${factor.staffId} and code_hash = ${hashCode(ctx, code)}
      and used_at is null
    returning 1`);
  return used.length > 0 ? 'recovery_code' : undefined;
}

/** Each time step is accepted once, and none before it any more. */
async function useTotp(ctx: InTransaction, { staffId, secret, step: last }: Factor, code: string): Promise<boolean> {
  const step = secret === null ? undefined : await timeStepOf(secret, code, ctx.clock.now());
  if (step === undefined || step <= last) return false;
  await ctx.tx.execute(sql`
    update staff set totp_step = ${step} where tenant_id = ${ctx.tenant.id} and id = ${staffId}`);
  return true;
}

/** The code is valid in the session that requested it. */
const emailPurpose = ({ id }: StaffSession) => `staff.${id}`;

/**
 * Email the member a code that verifies this session.
 * @throws DomainError `totp_enabled`, or `rate_limited` after several in an hour or several wrong codes
 */
export async function mailVerificationCode(ctx: Context, session: StaffSession): Promise<void> {
  const { staff } = session;
  if (staff.hasTotp) throw totpEnabled();
  await transact(ctx, async (ctx) => {
    // Until then the code would not be accepted.
    rejectAfterWrongCodes(ctx, await lockFactor(ctx, staff.id));
    await requestCode(ctx, { id: newId('otp'), purpose: emailPurpose(session), staff });
  });
}

/**
 * Begin to set up an authenticator app. Until it is confirmed, codes are emailed as before.
 * @throws DomainError `totp_enabled`
 */
export async function startTotp(
  ctx: Context,
  { staff }: StaffSession,
): Promise<{ secret: string; otpauthUrl: string }> {
  const { secret, otpauthUrl } = await newTotp(ctx.tenant.name, staff.email);
  await transact(ctx, async (ctx) => {
    if ((await lockFactor(ctx, staff.id)).isConfirmed) throw totpEnabled();
    await ctx.tx.execute(sql`
      update staff set totp_secret_sealed = ${ctx.keyring.seal(ctx.tenant.id, totpField(staff.id), secret)}
      where tenant_id = ${ctx.tenant.id} and id = ${staff.id}`);
  });
  return { secret, otpauthUrl };
}

/**
 * Confirm the app with one of its codes: from now on it is the member's second factor.
 * @returns recovery codes, each of which replaces the app once; only their hashes are stored
 * @throws DomainError `invalid_or_expired_token`, `totp_enabled`, or `rate_limited` after several wrong codes
 */
export async function confirmTotp(ctx: Context, session: StaffSession, code: string): Promise<readonly string[]> {
  const codes = Array.from({ length: recoveryCodesCount }, () => `${randomText(5)}-${randomText(5)}`);
  await tryCode(ctx, session, async (ctx, factor) => {
    if (factor.isConfirmed) throw totpEnabled();
    if (!(await useTotp(ctx, factor, code))) return false;
    const hashes = codes.map((each) => hashCode(ctx, each).toString('hex'));
    await ctx.tx.execute(sql`
      update staff set totp_confirmed_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and id = ${factor.staffId}`);
    await ctx.tx.execute(sql`
      insert into staff_recovery_codes (tenant_id, staff_id, code_hash)
      select ${ctx.tenant.id}, ${factor.staffId}, decode(hash, 'hex') from unnest(${hashes}::text[]) as hash`);
    await record(ctx, session, 'totp_enabled');
    return true;
  });
  return codes;
}

/** Remove the app and its recovery codes: codes are emailed again. Repeating it has no effect. */
export async function disableTotp(ctx: Context, session: StaffSession): Promise<StaffSession> {
  const { staff } = session;
  await disableTotpOf(ctx, staff);
  return { ...session, staff: { ...staff, hasTotp: false } };
}

/** The same for a member who has lost the app and the recovery codes. @returns whether there was an app */
export async function disableTotpOf(ctx: Context, staff: Pick<StaffMember, 'id'>): Promise<boolean> {
  return transact(ctx, async (ctx) => {
    const { isConfirmed } = await lockFactor(ctx, staff.id);
    await removeTotp(ctx, staff.id);
    if (isConfirmed) await record(ctx, { staff }, 'totp_disabled');
    return isConfirmed;
  });
}

/** The last time step stays: a code that was used is not accepted after the app was removed and set up again. */
export async function removeTotp(ctx: InTransaction, staffId: string): Promise<void> {
  await ctx.tx.execute(sql`
    update staff set totp_secret_sealed = null, totp_confirmed_at = null
    where tenant_id = ${ctx.tenant.id} and id = ${staffId}`);
  await ctx.tx.execute(sql`
    delete from staff_recovery_codes where tenant_id = ${ctx.tenant.id} and staff_id = ${staffId}`);
}

/** Try a code. A wrong one is counted: the transaction commits, and the error is thrown after it. */
async function tryCode(
  ctx: Context,
  { staff }: StaffSession,
  use: (ctx: InTransaction, factor: Factor) => Promise<boolean>,
): Promise<void> {
  const isRight = await transact(ctx, async (ctx) => {
    const factor = await lockFactor(ctx, staff.id);
    const before = rejectAfterWrongCodes(ctx, factor);
    const isRight = await use(ctx, factor);
    const since = before === 0 ? ctx.clock.now() : factor.wrongCodesSince;
    await ctx.tx.execute(sql`
      update staff set wrong_codes = ${isRight ? 0 : before + 1}, wrong_codes_since = ${isRight ? null : since}
      where tenant_id = ${ctx.tenant.id} and id = ${staff.id}`);
    return isRight;
  });
  if (!isRight) throw invalidOrExpired('code');
}

/** So few digits could be guessed. @returns how many of the codes before were wrong */
function rejectAfterWrongCodes({ clock }: InTransaction, { wrongCodes, wrongCodesSince }: Factor): number {
  const leftMs = (wrongCodesSince?.getTime() ?? 0) + wrongCodesWindowMs - clock.now().getTime();
  if (leftMs <= 0) return 0;
  if (wrongCodes < wrongCodesMax) return wrongCodes;
  const retryAfterSeconds = Math.ceil(leftMs / 1000);
  throw rateLimited('There were too many wrong codes.', { retryAfterSeconds, limit: wrongCodesMax });
}

async function lockFactor(ctx: InTransaction, staffId: string): Promise<Factor> {
  const [row] = await ctx.tx.execute<Omit<Factor, 'staffId' | 'secret'> & { sealed: string | null }>(sql`
    select totp_secret_sealed as sealed, totp_confirmed_at is not null as "isConfirmed", totp_step as step,
      wrong_codes as "wrongCodes", wrong_codes_since as "wrongCodesSince"
    from staff where tenant_id = ${ctx.tenant.id} and id = ${staffId} and revoked_at is null for update`);
  if (!row) throw invalidStaffSession();
  const { sealed, ...factor } = row;
  const isReadable = sealed !== null && ctx.keyring.knows(sealed);
  const secret = isReadable ? ctx.keyring.open(ctx.tenant.id, totpField(staffId), sealed) : null;
  return { staffId, secret, ...factor };
}

/** As it may be typed: in any case, with or without its hyphen. */
function hashCode({ settings }: Context, code: string): Buffer {
  return hmacSha256(settings.keyPepper, `recovery code\n${code.toLowerCase().replaceAll(/[^0-9a-z]/g, '')}`);
}

const totpEnabled = () =>
  new DomainError('conflict', 'totp_enabled', 'An authenticator app is set up. Use it, or a recovery code.');

function record(
  ctx: InTransaction,
  { staff }: { readonly staff: Pick<StaffMember, 'id'> },
  verb: string,
  after?: object,
): Promise<void> {
  return recordAudit(ctx, { action: `staff.${verb}`, subjectKind: 'staff', subjectId: staff.id, after });
}
