import { sealedColumn } from '../sealed-column.ts';
import { sessionSecretField } from './session-secret.ts';

export const tenantSealedColumns = [
  sealedColumn('tenants', 'session_secret_sealed', sessionSecretField, { tenantColumn: 'id' }),
];
