export { eraseDataSubject, failErasure } from './erase-data-subject.ts';
export { erasePersonalData } from './erase-personal-data.ts';
export { listErasures, readErasure } from './erasure.ts';
export { exportDataSubject, requestPersonalExport } from './export-data-subject.ts';
export { exportPersonalData } from './export-personal-data.ts';
export { ErasureView, presentErasure } from './present.ts';
export { requestErasure, runErasure } from './request-erasure.ts';
