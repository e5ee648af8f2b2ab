import { read, readOne, transact } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { Email, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { recordAudit } from '../audit/index.ts';
import type { Context, InTransaction } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import { nameInLog } from '../name-in-log.ts';

/** An address that no mail is sent to any more. */
export interface Suppression {
  readonly email: string;
  readonly reason: 'bounced';
  readonly createdAt: Date;
}

export const SuppressionView = Type.Object(
  {
    email: Email,
    /** Why: its mail server said that there is no such mailbox. */
    reason: Type.Enum(['bounced']),
    created_at: Timestamp,
  },
  { title: 'Suppression' },
);

export function presentSuppression({ email, reason, createdAt }: Suppression): Static<typeof SuppressionView> {
  return { email, reason, created_at: createdAt.toISOString() };
}

/** Whether mail to this address is pointless: its server said that there is no such mailbox. */
export async function isSuppressed(ctx: Context, address: string): Promise<boolean> {
  const row = await readOne(
    ctx,
    sql`
    select 1 as found from mail_suppressions where tenant_id = ${ctx.tenant.id} and address = ${address}`,
  );
  return row !== undefined;
}

export async function suppress(ctx: InTransaction, address: string, reason: Suppression['reason']): Promise<void> {
  await ctx.tx.execute(sql`
    insert into mail_suppressions (tenant_id, address, reason, created_at)
    values (${ctx.tenant.id}, ${address}, ${reason}, ${ctx.clock.now()})
    on conflict do nothing`);
}

/**
 * The suppressed addresses of a store by the alphabet, page by page; the one that is asked for.
 * @throws DomainError `invalid_cursor`
 */
export async function listSuppressions(
  ctx: Context,
  { email, cursor, limit = 20 }: PageRequest & { readonly email?: string | undefined },
): Promise<Page<Suppression>> {
  const list = keyset(ctx, 'suppressions', { columns: ['address'] }, cursor);
  const rows = await read<Suppression & { position: Position }>(
    ctx,
    sql`
    select address as email, reason, created_at as "createdAt", ${list.position} as position
    from mail_suppressions where tenant_id = ${ctx.tenant.id}
      and ${email === undefined ? sql`true` : sql`address = ${normaliseEmail(email)}`} and ${list.after}
    order by ${list.by} limit ${limit + 1}`,
    { replica: true },
  );
  return list.page(rows, limit);
}

/** Send mails to this address again. What was not sent meanwhile is not made up for. Releasing it twice is harmless. */
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
