import { read } from '#src/database/transact.ts';
import { keyset, type Page } from '#src/lib/cursor.ts';
import { sql } from '#src/lib/sql.ts';
import type { Actor, Context } from '../context.ts';

/** One line of the audit log. */
export interface AuditEntry {
  readonly id: string;
  readonly actorKind: Actor['kind'];
  readonly actorId: string;
  readonly action: string;
  readonly subjectKind: string;
  readonly subjectId: string;
  readonly before: object | null;
  readonly after: object | null;
  readonly requestId: string | null;
  readonly createdAt: Date;
}

export interface AuditQuery {
  readonly limit: number;
  readonly cursor?: string | undefined;
  /** Only what was done to subjects of this kind. */
  readonly subjectKind?: string | undefined;
  /** Only what was done to this one. */
  readonly subjectId?: string | undefined;
}

/**
 * The audit log, newest first, page by page: ids sort by age.
 * @throws DomainError `invalid_cursor`
 */
export async function listAudit(
  ctx: Context,
  { limit, cursor, subjectKind, subjectId }: AuditQuery,
): Promise<Page<AuditEntry>> {
  const keys = keyset(ctx, 'audit', { columns: ['id'], descending: true }, cursor);
  const ofKind = subjectKind === undefined ? sql`` : sql` and subject_kind = ${subjectKind}`;
  const ofSubject = subjectId === undefined ? sql`` : sql` and subject_id = ${subjectId}`;
  const rows = await read<AuditEntry & { position: unknown[] }>(
    ctx,
    sql`
    select id, actor_kind as "actorKind", actor_id as "actorId", action, subject_kind as "subjectKind",
      subject_id as "subjectId", before, after, request_id as "requestId", created_at as "createdAt",
      ${keys.position} as position
    from audit_log where tenant_id = ${ctx.tenant.id}${ofKind}${ofSubject} and ${keys.after}
    order by ${keys.by} limit ${limit + 1}`,
  );
  return keys.page(rows, limit);
}
