import { sealedColumn } from '../sealed-column.ts';
import type { SealedField } from './shipping-account.ts';

const of = (table: string, column: string, field: SealedField) => sealedColumn(table, column, field);

export const shippingSealedColumns = [
  of('shipping_accounts', 'api_key_sealed', 'shipping_api_key'),
  of('shipping_accounts', 'webhook_token_sealed', 'shipping_webhook_token'),
  of('shipping_accounts', 'webhook_secret_sealed', 'shipping_webhook_secret'),
  of('second_shipping_accounts', 'api_key_sealed', 'second_shipping_api_key'),
];
