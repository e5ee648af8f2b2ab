export { erasePersonalData, type Erasure } from './erase-personal-data.ts';
export { exportPersonalData, type PersonalExport } from './export-personal-data.ts';
export { personalData } from './registry.ts';
