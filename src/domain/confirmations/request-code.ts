import { fromNow } from '#src/lib/clock.ts';
import { hours } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { enqueueMail } from '../mail/index.ts';
import { type Confirmed, codePurpose, perHourMax, validMs } from './one-time-password.ts';

/**
 * Email the store's owner a one-time password. An earlier one of the same purpose is no longer good.
 *
 * @param request `action`: what it is for, as it goes on after "Enter this code to"
 * @throws DomainError `rate_limited` after several in an hour
 */
export async function requestCode(ctx: InTransaction, request: Confirmed & { readonly action: string }): Promise<void> {
  await ctx.tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`one-time password ${ctx.tenant.id}`}, 0))`);
  const [sent] = await ctx.tx.execute<{ count: number }>(sql`
    select count(*)::int as count from one_time_passwords
    where tenant_id = ${ctx.tenant.id} and created_at > ${fromNow(ctx.clock, -hours(1))}`);
  if (sent && sent.count >= perHourMax) throw tooMany();

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

const tooMany = () =>
  new DomainError('too_many', 'rate_limited', 'Too many one-time passwords were requested. Try again later.', {
    retryAfterSeconds: 600,
  });
