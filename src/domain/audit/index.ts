export { auditedCreation, auditedRemoval, auditedSave, auditedUpdate, lockSubject, withAudit } from './audited.ts';
export { listAudit } from './list-audit.ts';
export { AuditEntryView, presentAuditEntry } from './present.ts';
export { recordAudit, recordAudits } from './record-audit.ts';
export { auditRetention } from './retention.ts';
