export { applyBatches } from './apply-batches.ts';
export { cancelSubscription, rejectCancellation } from './changes/cancel-subscription.ts';
export { previewChange, runChange, undoChange } from './changes/change-many.ts';
export { changeKindOf, changeKinds } from './changes/index.ts';
export { linkOf, openLink, readFile } from './download.ts';
export { exportKindOf, exportKinds } from './exports/index.ts';
export { hasFormat, importKindOf, importKinds } from './kinds/index.ts';
export {
  cancelOperation,
  failOperation,
  insertOperation,
  listOperations,
  type OpenOperation,
  type Operation,
  openOperations,
  operationTypes,
  personalDataKind,
  readOperation,
} from './operation.ts';
export { bulkPersonalData } from './personal-data.ts';
export {
  BulkChangeInput,
  BulkChangeView,
  ExportFormatName,
  ExportKindName,
  ExportView,
  ImportFormat,
  ImportKindName,
  ImportModeName,
  ImportView,
  presentBulkChange,
  presentExport,
  presentImport,
} from './present.ts';
export { readImport } from './read-import.ts';
export { fileBytesMax, receiveImport } from './receive-import.ts';
export { rejectedRows, rejectedRowsCsv } from './rejected-rows.ts';
export { requestExport } from './request-export.ts';
export { pauseAfterBatch, startSlice } from './run-slice.ts';
export { type FileParts, writeExport } from './write-export.ts';
