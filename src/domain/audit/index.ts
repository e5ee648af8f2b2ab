export {
  AuditEntryView,
  actorNameOf,
  auditOfChange,
  listAudit,
  presentAuditEntry,
  recordAudit,
  recordAudits,
} from './audit-log.ts';
export {
  auditedCreation,
  auditedRemoval,
  auditedSave,
  auditedUpdate,
  changedMeanwhile,
  ExpectedVersion,
  isOtherVersion,
  withAudit,
} from './audited.ts';
