import { idempotencySealedColumns } from '../idempotency/index.ts';
import { integrationSealedColumns } from '../integrations/index.ts';
import { paymentSealedColumns } from '../payments/index.ts';
import type { SealedColumn } from '../sealed-column.ts';
import { shippingSealedColumns } from '../shipping/index.ts';
import { tenantSealedColumns } from '../tenants/index.ts';
import { webhookSealedColumns } from '../webhooks/index.ts';

/** Every column that holds sealed text. */
export const sealedColumns: readonly SealedColumn[] = [
  ...tenantSealedColumns,
  ...idempotencySealedColumns,
  ...shippingSealedColumns,
  ...paymentSealedColumns,
  ...webhookSealedColumns,
  ...integrationSealedColumns,
];
