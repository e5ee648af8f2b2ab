import { sealedColumn } from '../sealed-column.ts';
import { replyField } from './kept-reply.ts';

export const idempotencySealedColumns = [sealedColumn('idempotency_keys', 'reply_sealed', replyField)];
