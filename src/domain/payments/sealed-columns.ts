import { sealedColumn } from '../sealed-column.ts';
import { sealedFields } from './payment-account.ts';

export const paymentSealedColumns = [
  sealedColumn('payment_accounts', 'secret_key_sealed', sealedFields.secretKey, { idColumn: 'tenant_id' }),
  sealedColumn('payment_webhook_secrets', 'secret_sealed', sealedFields.webhookSecret),
];
