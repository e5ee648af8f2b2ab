import { currentCorrelation } from '#src/lib/correlation.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/** What somebody did, to what. */
export interface AuditRecord {
  /** `noun.verb`, such as `promo_code.updated`. */
  readonly action: string;
  readonly subjectKind: string;
  readonly subjectId: string;
  /** The subject before and after, without its secrets: what is written here is shown. */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

/** Write what the context's actor does into the audit log, in the transaction that does it. */
export async function recordAudit(ctx: InTransaction, record: AuditRecord): Promise<void> {
  return recordAudits(ctx, [record]);
}

/** The same for several records at once, in one statement. */
export async function recordAudits(ctx: InTransaction, records: readonly AuditRecord[]): Promise<void> {
  const rows = records.map((record) => ({ ...record, id: newId('aud') }));
  await ctx.tx.execute(sql`
    insert into audit_log (tenant_id, id, actor_kind, actor_id, action, subject_kind, subject_id, before, after,
      request_id, created_at)
    select ${ctx.tenant.id}, id, ${ctx.actor.kind}, ${ctx.actor.id}, action, "subjectKind", "subjectId", before, after,
      ${currentCorrelation()?.requestId ?? null}, ${ctx.clock.now()}
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as d(id text, action text, "subjectKind" text, "subjectId" text, before jsonb, after jsonb)`);
}
