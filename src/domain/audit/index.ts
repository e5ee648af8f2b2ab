export { type AuditEntry, type AuditQuery, listAudit } from './list-audit.ts';
export { AuditEntryView, presentAuditEntry } from './present.ts';
export { type Deed, recordAudit } from './record-audit.ts';
