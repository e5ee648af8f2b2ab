import { sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, byEmail, byMention, type PersonalData, removedRows } from '../personal-data.ts';

/**
 * Files are read within minutes, and exports offered for a day. What stays is the rows that were rejected, and by what
 * bulk changes selected.
 */
export const bulkPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'bulk_operations',
    personal: blank('filter'),
    beside: ['id', 'kind', 'created_at'],
    of: byEmail("filter ->> 'email'"),
  }),
  removedRows({
    table: 'bulk_rejected_rows',
    personal: ['cells'],
    beside: ['operation_id', 'row_number', 'problem'],
    of: byMention(sql`cells::text`),
  }),
];
