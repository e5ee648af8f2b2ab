import { sql } from '#src/lib/sql.ts';
import { byMention, type PersonalData, removedRows } from '../personal-data.ts';

/** Files are read within minutes, and exports offered for a day. What stays is the rows that were rejected. */
export const bulkPersonalData: readonly PersonalData[] = [
  removedRows({
    table: 'bulk_rejected_rows',
    personal: ['cells'],
    beside: ['operation_id', 'row_number', 'problem'],
    of: byMention(sql`cells::text`),
  }),
];
