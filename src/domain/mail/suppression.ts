import { readPage } from '#src/database/read-page.ts';
import { readOne, transact } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Email, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { nameInLog } from '../name-in-log.ts';

/** An email address that gets no email any more. */
export type Suppression = RowOf<typeof SuppressionView>;

export const SuppressionView = Type.Object(
  {
    email: Email,
    /** `bounced`: its mail server reported that there is no such mailbox. */
    reason: Type.Enum(['bounced']),
    created_at: Timestamp,
  },
  { title: 'Suppression' },
);

export function presentSuppression(suppression: Suppression): Static<typeof SuppressionView> {
  return presentAs(SuppressionView, suppression);
}

/** Whether email to this address has bounced. */
export async function isSuppressed(ctx: Context, address: string): Promise<boolean> {
  const row = await readOne<{ found: boolean }>(ctx, sql`select ${hasBounced(ctx, sql`${address}`)} as found`);
  return row?.found === true;
}

/** The same as a condition on an address in another statement. */
export const hasBounced = (ctx: Context, address: Sql): Sql => sql`
  exists (select from mail_suppressions where tenant_id = ${ctx.tenant.id} and address = ${address})`;

export async function suppress(ctx: InTransaction, address: string, reason: Suppression['reason']): Promise<void> {
  await ctx.tx.execute(sql`
    insert into mail_suppressions (tenant_id, address, reason, created_at)
    values (${ctx.tenant.id}, ${address}, ${reason}, ${ctx.clock.now()})
    on conflict do nothing`);
}

/**
 * The suppressed email addresses of a store in alphabetical order, page by page, or a single one.
 * @throws DomainError `invalid_cursor`
 */
export async function listSuppressions(
  ctx: Context,
  { email, ...page }: PageRequest & { readonly email?: string | undefined },
): Promise<Page<Suppression>> {
  return readPage<Suppression>(
    ctx,
    { name: 'suppressions', columns: ['address'] },
    page,
    (position) => sql`
    select address as email, reason, created_at as "createdAt"${position}
    from mail_suppressions where tenant_id = ${ctx.tenant.id}
      and ${email === undefined ? sql`true` : sql`address = ${normaliseEmail(email)}`}`,
    { replica: true },
  );
}

/** Send email to this address again. Emails suppressed meanwhile are not sent later. Repeating it has no effect. */
export async function releaseSuppression(ctx: Context, { email }: { email: string }): Promise<void> {
  const address = normaliseEmail(email);
  await transact(ctx, async (ctx) => {
    const [released] = await ctx.tx.execute<{ reason: string }>(sql`
      delete from mail_suppressions where tenant_id = ${ctx.tenant.id} and address = ${address} returning reason`);
    if (!released) return;
    await recordAudit(ctx, {
      action: 'suppression.released',
      subjectKind: 'person',
      subjectId: nameInLog(ctx, address),
      before: released,
    });
  });
}
