import { lockName } from '#src/database/lock-names.ts';
import { fromNow } from '#src/lib/clock.ts';
import { equalInConstantTime } from '#src/lib/crypto.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { rateLimited } from '#src/lib/errors.ts';
import { withoutSpaces } from '#src/lib/one-line.ts';
import { Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { enqueueMail } from '../mail/index.ts';
import { deriveCode } from '../tenants/index.ts';

/** How long a code is valid; and, where it may be used again, how long after its first use. */
const validMs = minutes(10);

/** After this many wrong codes a one-time password is invalid. */
const wrongCodesMax = 5;

/** One-time passwords in an hour, for each store's owner and each member of its staff: few leave little to guess. */
const perHourMax = 5;

/** Six digits, as they may be typed. */
export const oneTimeCodePattern = '^(\\s*[0-9]){6}\\s*$';

/** What cannot be a code is rejected before it counts as a wrong one. */
export const OneTimeCode = Type.String({ pattern: oneTimeCodePattern, maxLength: 40, examples: ['123456'] });

/** What a code confirms. It is valid for nothing else. */
export interface Confirmed {
  /** The id of the one-time password, and of what it confirms. */
  readonly id: string;
  /** The kind of action. Renaming it makes open passwords invalid. */
  readonly purpose: string;
  /** A digest of the exact action, where the id does not identify it. */
  readonly boundTo?: string;
}

/** What the code is derived from, besides its id. */
const codePurpose = ({ purpose, boundTo }: Confirmed): string => (boundTo ? `${purpose}:${boundTo}` : purpose);

/** A request for a code: of the store's owner, whose email says what it is for, or of a member of the staff. */
type CodeRequest = Confirmed &
  (
    | {
        /** Continues the sentence "Enter this code to …" in the email. */
        readonly action: string;
        /** Default: true. Otherwise it is confirmed in another way, within the same time. */
        readonly isEmailed?: boolean;
      }
    | { readonly staff: { readonly id: string; readonly email: string } }
  );

/**
 * Email a one-time password. An earlier one of the same purpose becomes invalid.
 * @throws DomainError `rate_limited` after several in an hour
 */
export async function requestCode(ctx: InTransaction, request: CodeRequest): Promise<void> {
  const staffId = 'staff' in request ? request.staff.id : null;
  await lockName(ctx, 'one-time passwords', staffId ?? 'owner');
  const [sent] = await ctx.tx.execute<{ count: number; earliestAt: Date }>(sql`
    select count(*)::int as count, min(created_at) as "earliestAt" from one_time_passwords
    where tenant_id = ${ctx.tenant.id} and staff_id is not distinct from ${staffId}
      and created_at > ${fromNow(ctx.clock, -hours(1))}`);
  if (sent && sent.count >= perHourMax) {
    const waitMs = sent.earliestAt.getTime() + hours(1) - ctx.clock.now().getTime();
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw rateLimited('Too many one-time passwords were requested.', { retryAfterSeconds, limit: perHourMax });
  }

  await ctx.tx.execute(sql`
    insert into one_time_passwords (tenant_id, id, purpose, staff_id, created_at)
    values (${ctx.tenant.id}, ${request.id}, ${request.purpose}, ${staffId}, ${ctx.clock.now()})`);
  if ('isEmailed' in request && request.isEmailed === false) return;
  const code = { purpose: codePurpose(request), valid_minutes: validMs / 60_000 };
  const subjectId = request.id;
  if ('staff' in request) enqueueMail(ctx, { kind: 'staff_code', to: request.staff.email, data: code, subjectId });
  else {
    const data = { ...code, action: request.action };
    enqueueMail(ctx, { kind: 'one_time_password', to: ctx.tenant.ownerEmail, data, subjectId });
  }
}

interface SentCode {
  readonly wrongCodes: number;
  readonly createdAt: Date;
  readonly usedAt: Date | null;
  readonly isNewest: boolean;
}

/**
 * Use a one-time password. A wrong code is counted, so commit the transaction also where the result is `false`.
 *
 * @param options `mayRepeat`: it stays valid for ten minutes after its first use; `isCodeNeeded`: false where the caller
 *   is confirmed in another way
 * @returns whether the code is right, still valid, and for this purpose
 */
export async function useCode(
  ctx: InTransaction,
  { code, ...confirmed }: Confirmed & { readonly code: string | null },
  { mayRepeat = false, isCodeNeeded = true }: { mayRepeat?: boolean; isCodeNeeded?: boolean } = {},
): Promise<boolean> {
  const { id, purpose } = confirmed;
  const [sent] = await ctx.tx.execute<SentCode>(sql`
    select p.wrong_codes as "wrongCodes", p.created_at as "createdAt", p.used_at as "usedAt", not exists (
      select from one_time_passwords n
      where n.tenant_id = ${ctx.tenant.id} and n.purpose = p.purpose
        and (n.created_at, n.id) > (p.created_at, p.id)) as "isNewest"
    from one_time_passwords p
    where p.tenant_id = ${ctx.tenant.id} and p.id = ${id} and p.purpose = ${purpose} for update`);
  if (!sent || !isGood(ctx, sent, mayRepeat)) return false;

  const isRight =
    !isCodeNeeded || equalInConstantTime(await deriveCode(ctx, codePurpose(confirmed), id), withoutSpaces(code ?? ''));
  await ctx.tx.execute(sql`
    update one_time_passwords
    set ${isRight ? sql`used_at = coalesce(used_at, ${ctx.clock.now()})` : sql`wrong_codes = wrong_codes + 1`}
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  return isRight;
}

/** Use the newest one-time password of a purpose, which identifies what it confirms. As `useCode`. */
export async function useNewestCode(
  ctx: InTransaction,
  { purpose, code }: { purpose: string; code: string },
): Promise<boolean> {
  const [newest] = await ctx.tx.execute<{ id: string }>(sql`
    select id from one_time_passwords where tenant_id = ${ctx.tenant.id} and purpose = ${purpose}
    order by created_at desc, id desc limit 1`);
  return newest ? useCode(ctx, { id: newest.id, purpose, code }) : false;
}

function isGood(
  ctx: InTransaction,
  { wrongCodes, createdAt, usedAt, isNewest }: SentCode,
  mayRepeat: boolean,
): boolean {
  if (!isNewest || wrongCodes >= wrongCodesMax || (usedAt && !mayRepeat)) return false;
  return ctx.clock.now().getTime() - (usedAt ?? createdAt).getTime() < validMs;
}
