import { currentCorrelation } from '#src/lib/correlation.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/** What somebody did, to what. */
export interface Deed {
  /** `noun.verb`, such as `promo_code.updated`. */
  readonly action: string;
  readonly subjectKind: string;
  readonly subjectId: string;
  /** The subject before and after, without its secrets: what is written here is shown. */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

/** Write what the context's actor does into the audit log, in the transaction that does it. */
export async function recordAudit(ctx: InTransaction, deed: Deed): Promise<void> {
  const { action, subjectKind, subjectId, before, after } = deed;
  await ctx.tx.run(sql`
    insert into audit_log (tenant_id, id, actor_kind, actor_id, action, subject_kind, subject_id, before, after,
      request_id, created_at)
    values (${ctx.tenant.id}, ${newId('aud')}, ${ctx.actor.kind}, ${ctx.actor.id}, ${action}, ${subjectKind},
      ${subjectId}, ${json(before)}::jsonb, ${json(after)}::jsonb, ${currentCorrelation()?.requestId ?? null},
      ${ctx.clock.now()})`);
}

const json = (value: object | undefined) => (value ? JSON.stringify(value) : null);
