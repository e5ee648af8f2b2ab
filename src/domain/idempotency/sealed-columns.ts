import { sealedColumn } from '../sealed-column.ts';
import { replyField } from './stored-reply.ts';

export const idempotencySealedColumns = [sealedColumn('idempotency_keys', 'reply_sealed', replyField)];
