export { auditRetention, listAudit, recordAudit, recordAudits } from './audit-log.ts';
export { auditedCreation, auditedRemoval, auditedSave, auditedUpdate, lockSubject, withAudit } from './audited.ts';
export { AuditEntryView, presentAuditEntry } from './present.ts';
