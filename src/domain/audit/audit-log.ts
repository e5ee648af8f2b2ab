import { indexesOf, searchPage } from '#src/database/read-page.ts';
import { currentCorrelation } from '#src/lib/correlation.ts';
import type { Page } from '#src/lib/cursor.ts';
import { newId } from '#src/lib/ids.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Change } from '../change.ts';
import type { Actor, Context, InTransaction } from '../context.ts';

/** An action of the context's actor on a subject. */
export interface AuditRecord {
  /** `noun.verb`, such as `promo_code.updated`. */
  readonly action: string;
  readonly subjectKind: string;
  readonly subjectId: string;
  /** The subject before and after, without secrets, because the audit log is shown. */
  readonly before?: object | undefined;
  readonly after?: object | undefined;
}

/** Record an action in the audit log, in the transaction of the action. */
export async function recordAudit(ctx: InTransaction, record: AuditRecord): Promise<void> {
  return recordAudits(ctx, [record]);
}

/** Record several actions in one statement. */
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

/** What the audit log says of one of many changes: whose it was, by its id and its name, and the changed fields. */
export const auditOfChange = (kind: string, { id, action, subject, fields }: Change): AuditRecord => ({
  action: `${kind}.${action}`,
  subjectKind: kind,
  subjectId: id ?? subject,
  after: { name: subject, fields },
});

/** An entry of the audit log. */
export type AuditEntry = Omit<RowOf<typeof AuditEntryView>, 'actor' | 'subject'> & {
  readonly actorKind: Actor['kind'];
  readonly actorId: string;
  readonly actorName: string | null;
  readonly subjectKind: string;
  readonly subjectId: string;
};

export interface AuditQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Only entries about subjects of this kind. */
  readonly subjectKind?: string | undefined;
  /** Only entries about this subject. */
  readonly subjectId?: string | undefined;
}

/**
 * The name of the member of the staff who did what a row of `audit_log` says; null for other actors.
 * @param row the alias of the table
 */
export const actorNameOf = (row: Sql): Sql =>
  sql`(select name from staff where tenant_id = ${row}.tenant_id and id = ${row}.actor_id)`;

/**
 * One page of the audit log, newest first. Ids are ordered by time.
 * @throws DomainError `invalid_cursor`
 */
export async function listAudit(
  ctx: Context,
  { subjectKind, subjectId, ...page }: AuditQuery,
): Promise<Page<AuditEntry>> {
  const filter = { subjectKind, subjectId };
  return searchPage<AuditEntry>(
    ctx,
    {
      name: 'audit',
      columns: ['id'],
      descending: true,
      table: sql`audit_log`,
      alias: sql`audit_log`,
      filter,
      indexes: indexesOf(filter, { subjectId: 'subject_id', subjectKind: 'subject_kind' }),
    },
    page,
    (more, from) => sql`
    select id, actor_kind as "actorKind", actor_id as "actorId", ${actorNameOf(sql`audit_log`)} as "actorName", action,
      subject_kind as "subjectKind", subject_id as "subjectId", before, after, request_id as "requestId",
      created_at as "createdAt"${more}
    from ${from} where tenant_id = ${ctx.tenant.id}`,
  );
}

/** An entry of the audit log as the owner sees it. */
export const AuditEntryView = Type.Object(
  {
    id: Type.String(),
    actor: Type.Object({
      kind: Type.String({ examples: ['staff'] }),
      id: Type.String(),
      name: Nullable(Type.String({ examples: ['Ada'] })),
    }),
    action: Type.String({ examples: ['promo_code.updated'] }),
    subject: Type.Object({ kind: Type.String(), id: Type.String() }),
    before: Type.Unknown({ description: 'The subject before the change, without secrets and emails.' }),
    after: Type.Unknown({
      description:
        'The subject after the change. `changed` lists the changed fields, including those that are never shown.',
    }),
    request_id: Type.Union([Type.String(), Type.Null()]),
    created_at: Timestamp,
  },
  { title: 'AuditEntry' },
);

export function presentAuditEntry(entry: AuditEntry): Static<typeof AuditEntryView> {
  return presentAs(AuditEntryView, {
    ...entry,
    actor: { kind: entry.actorKind, id: entry.actorId, name: entry.actorName },
    subject: { kind: entry.subjectKind, id: entry.subjectId },
  });
}
