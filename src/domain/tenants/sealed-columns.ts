import { sealedColumn } from '../sealed-column.ts';
import { sessionSecretField } from './session-secret.ts';
import { staffSecretField } from './staff-secret.ts';

export const tenantSealedColumns = [
  sealedColumn('tenants', 'session_secret_sealed', sessionSecretField, { tenantColumn: 'id' }),
  sealedColumn('tenants', 'staff_secret_sealed', staffSecretField, { tenantColumn: 'id' }),
];
