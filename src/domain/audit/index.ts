export {
  auditedCreation, auditedRemoval, auditedSave, auditedUpdate, type OwnersChange, withAudit,
} from './audited.ts';
export { type AuditEntry, type AuditQuery, listAudit } from './list-audit.ts';
export { AuditEntryView, presentAuditEntry } from './present.ts';
export { type Deed, recordAudit, recordAudits } from './record-audit.ts';
