import { sealedColumn } from '../sealed-column.ts';
import { bodyField } from './accept-call.ts';
import { receivedField } from './read-connection.ts';

export const integrationSealedColumns = [
  sealedColumn('integration_connections', 'received_sealed', receivedField),
  sealedColumn('integration_calls', 'body_sealed', bodyField),
];
