import { equalInConstantTime } from '#src/lib/crypto.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { deriveCode } from '../tenants/index.ts';
import { type Confirmed, codePurpose, validMs, wrongCodesMax } from './one-time-password.ts';

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
