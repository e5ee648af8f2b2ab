import { sendMail } from '#jobs/emails.ts';
import { lockRow } from '#src/database/rows.ts';
import { asPlatform, transact } from '#src/database/transact.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { enqueue } from '#src/outbox/enqueue.ts';
import { closeFailed } from '#src/outbox/job-state.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction, PlatformContext } from '../context.ts';
import { isOfStore } from '../tenants/index.ts';
import type { MailKind } from './kinds.ts';
import { Mail } from './mail.ts';

/** What a shopper waits for, however late: emails about an order, or about a return of it. */
const kinds: readonly MailKind[] = ['receipt', 'shipped', 'refunded', 'return_update', 'gift'];

/**
 * The condition that an email is replaced by a later one of its kind about the same, whatever became of that one. Each
 * one about a refund is about another refund.
 */
const hasLater = (mail: Sql): Sql => sql`
  (${mail}.kind <> 'refunded' and exists (
    select from mails later where later.tenant_id = ${mail}.tenant_id and later.subject_id = ${mail}.subject_id
      and later.kind = ${mail}.kind and later.id > ${mail}.id))`;

const isUnsentOf = (isOfKind: Sql): Sql => sql`m.state = 'failed' and ${isOfKind} and not ${hasLater(sql`m`)}`;

/** The condition that an email `m` to a shopper was given up, and is not replaced by a later one. */
export const isUnsent = isUnsentOf(sql`m.kind = any(${kinds}::text[])`);

/** The condition that an email of `mails` was given up and is replaced by a later one: it is not sent any more. */
export const isReplaced = sql`
  (mails.state = 'failed' and mails.kind = any(${kinds}::text[]) and ${hasLater(sql`mails`)})`;

/** An email that was given up. */
export interface UnsentMail {
  readonly tenantId: string;
  readonly id: string;
  readonly kind: MailKind;
  /** The order or the return that it is about. */
  readonly subjectId: string;
  readonly failure: string | null;
  readonly updatedAt: Date;
}

/**
 * The emails of every store that were given up, so many of each kind: first those that were longest ago, so that what
 * fails again and again hides no others.
 */
export async function unsentMails(
  ctx: PlatformContext,
  limitPerKind: number,
): Promise<{ readonly mails: readonly UnsentMail[]; readonly total: number }> {
  return asPlatform(ctx, 'operators see the emails of every store that were given up', async (ctx) => {
    const mails = await ctx.tx.execute<UnsentMail>(sql`
      select unsent.* from unnest(${kinds}::text[]) with ordinality as of(kind, place) cross join lateral (
        select tenant_id as "tenantId", id, kind, subject_id as "subjectId", failure, updated_at as "updatedAt"
        from mails m where ${isUnsentOf(sql`m.kind = of.kind`)} and ${isOfStore(sql`m.tenant_id`)}
        order by updated_at, id limit ${limitPerKind}) as unsent
      order by place, "updatedAt", id`);
    const [{ total } = { total: 0 }] = await ctx.tx.execute<{ total: number }>(sql`
      select count(*)::int as total from mails m where ${isUnsent} and ${isOfStore(sql`m.tenant_id`)}`);
    return { mails, total };
  });
}

/**
 * Try an email again that was given up. Failed jobs of it leave the board.
 * @returns whether it was: another actor may have retried it, or have sent a later one
 */
export async function retryMail(ctx: Context, { mailId }: { mailId: string }): Promise<boolean> {
  return transact(ctx, async (ctx) => {
    const mail = await lockRow(ctx, Mail, mailId);
    if (!mail || !(await isUnsentNow(ctx, mailId))) return false;
    mail.retry(ctx.clock.now());
    await ctx.tx.em.flush();
    const { attemptCount } = mail;
    const keys = Array.from({ length: attemptCount }, (_, index) => sendMail.key({ mailId, attempt: index + 1 }));
    await closeFailed(ctx.tx.execute, { tenantId: ctx.tenant.id, job: sendMail.name, keys }, ctx.clock.now());
    enqueue(ctx, sendMail, { mailId, attempt: attemptCount + 1 });
    await recordAudit(ctx, { action: 'mail.retried', subjectKind: 'mail', subjectId: mailId });
    return true;
  });
}

async function isUnsentNow({ tx, tenant }: InTransaction, mailId: string): Promise<boolean> {
  const found = await tx.execute(sql`
    select from mails m where m.tenant_id = ${tenant.id} and m.id = ${mailId} and ${isUnsent}`);
  return found.length > 0;
}
