import { sealedColumn } from '../sealed-column.ts';
import { secretField } from './secret.ts';

export const webhookSealedColumns = [
  sealedColumn('webhook_endpoints', 'secret_sealed', secretField),
  sealedColumn('webhook_endpoints', 'retiring_secret_sealed', secretField),
];
