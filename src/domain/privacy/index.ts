export { erasePersonalData } from './erase-personal-data.ts';
export { exportPersonalData } from './export-personal-data.ts';
