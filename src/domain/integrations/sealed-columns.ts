import { sealedColumn } from '../sealed-column.ts';
import { bodyField } from './calls.ts';
import { receivedField } from './connections.ts';

export const integrationSealedColumns = [
  sealedColumn('integration_connections', 'received_sealed', receivedField),
  sealedColumn('integration_calls', 'body_sealed', bodyField),
];
