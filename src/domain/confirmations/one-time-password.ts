import { fromNow } from '#src/lib/clock.ts';
import { equalInConstantTime } from '#src/lib/crypto.ts';
import { hours, minutes } from '#src/lib/duration.ts';
import { rateLimited } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { enqueueMail } from '../mail/index.ts';
import { deriveCode } from '../tenants/index.ts';

/** How long a code is good; and, where it may be used again, how long after its first use. */
const validMs = minutes(10);

/** So many wrong codes spend a one-time password. */
const wrongCodesMax = 5;

/** Few codes of few digits leave little to guess: so many a store and hour. */
const perHourMax = 5;

/** What a code confirms: it opens nothing else. */
export interface Confirmed {
  /** The one-time password's own, and that of what it confirms. */
  readonly id: string;
  /** The kind of action. A shipped purpose is never renamed. */
  readonly purpose: string;
  /** A digest of what exactly is to be done, where the id does not stand for that. */
  readonly boundTo?: string;
}

/** What the code is derived from, beside its id. */
const codePurpose = ({ purpose, boundTo }: Confirmed): string => (boundTo ? `${purpose}:${boundTo}` : purpose);

/**
 * Email the store's owner a one-time password. An earlier one of the same purpose is no longer good.
 *
 * @param request `action`: what it is for, as it goes on after "Enter this code to"
 * @throws DomainError `rate_limited` after several in an hour
 */
export async function requestCode(ctx: InTransaction, request: Confirmed & { readonly action: string }): Promise<void> {
  await ctx.tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`one-time password ${ctx.tenant.id}`}, 0))`);
  const [sent] = await ctx.tx.execute<{ count: number; earliestAt: Date }>(sql`
    select count(*)::int as count, min(created_at) as "earliestAt" from one_time_passwords
    where tenant_id = ${ctx.tenant.id} and created_at > ${fromNow(ctx.clock, -hours(1))}`);
  if (sent && sent.count >= perHourMax) {
    const waitMs = sent.earliestAt.getTime() + hours(1) - ctx.clock.now().getTime();
    const retryAfterSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw rateLimited('Too many one-time passwords were requested.', { retryAfterSeconds, limit: perHourMax });
  }

  await ctx.tx.execute(sql`
    insert into one_time_passwords (tenant_id, id, purpose, created_at)
    values (${ctx.tenant.id}, ${request.id}, ${request.purpose}, ${ctx.clock.now()})`);
  await enqueueMail(ctx, {
    kind: 'one_time_password',
    to: ctx.tenant.ownerEmail,
    data: { purpose: codePurpose(request), action: request.action, valid_minutes: validMs / 60_000 },
    subjectId: request.id,
  });
}

interface SentCode {
  readonly wrongCodes: number;
  readonly createdAt: Date;
  readonly usedAt: Date | null;
  readonly isNewest: boolean;
}

/**
 * Use a one-time password. A wrong code counts, so commit the transaction also where the result is `false`.
 *
 * @param options `mayRepeat`: it is good again for ten minutes after its first use
 * @returns whether the code is right, still good, and for this purpose
 */
export async function useCode(
  ctx: InTransaction,
  { code, ...confirmed }: Confirmed & { readonly code: string },
  { mayRepeat = false }: { mayRepeat?: boolean } = {},
): Promise<boolean> {
  const { id, purpose } = confirmed;
  const [sent] = await ctx.tx.execute<SentCode>(sql`
    select p.wrong_codes as "wrongCodes", p.created_at as "createdAt", p.used_at as "usedAt", not exists (
      select from one_time_passwords n
      where n.tenant_id = ${ctx.tenant.id} and n.purpose = p.purpose and (n.created_at, n.id) > (p.created_at, p.id)) as "isNewest"
    from one_time_passwords p
    where p.tenant_id = ${ctx.tenant.id} and p.id = ${id} and p.purpose = ${purpose} for update`);
  if (!sent || !isGood(ctx, sent, mayRepeat)) return false;

  const isRight = equalInConstantTime(await deriveCode(ctx, codePurpose(confirmed), id), code);
  await ctx.tx.execute(sql`
    update one_time_passwords
    set ${isRight ? sql`used_at = coalesce(used_at, ${ctx.clock.now()})` : sql`wrong_codes = wrong_codes + 1`}
    where tenant_id = ${ctx.tenant.id} and id = ${id}`);
  return isRight;
}

function isGood(
  ctx: InTransaction,
  { wrongCodes, createdAt, usedAt, isNewest }: SentCode,
  mayRepeat: boolean,
): boolean {
  if (!isNewest || wrongCodes >= wrongCodesMax || (usedAt && !mayRepeat)) return false;
  return ctx.clock.now().getTime() - (usedAt ?? createdAt).getTime() < validMs;
}
