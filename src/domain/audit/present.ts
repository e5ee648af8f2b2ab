import { type Static, Timestamp, Type } from '#src/lib/schema.ts';
import type { AuditEntry } from './audit-log.ts';

/** An entry of the audit log as the owner sees it. */
export const AuditEntryView = Type.Object(
  {
    id: Type.String(),
    actor: Type.Object({ kind: Type.String(), id: Type.String() }),
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
  return {
    id: entry.id,
    actor: { kind: entry.actorKind, id: entry.actorId },
    action: entry.action,
    subject: { kind: entry.subjectKind, id: entry.subjectId },
    before: entry.before,
    after: entry.after,
    request_id: entry.requestId,
    created_at: entry.createdAt.toISOString(),
  };
}
