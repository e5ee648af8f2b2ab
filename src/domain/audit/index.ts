export {
  AuditEntryView,
  listAudit,
  presentAuditEntry,
  recordAudit,
  recordAudits,
} from './audit-log.ts';
export { auditedCreation, auditedRemoval, auditedSave, auditedUpdate, lockSubject, withAudit } from './audited.ts';
