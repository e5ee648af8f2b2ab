import { sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, byEmail, byMention, type PersonalData, removedRows } from '../personal-data.ts';
import { personalDataKind } from './operation.ts';

/**
 * Files are read within minutes, and exports offered for a day; that of the person is deleted. What stays is the rows that were rejected, and by what
 * bulk changes selected.
 */
export const bulkPersonalData: readonly PersonalData[] = [
  removedRows({
    name: 'personal_data_exports',
    table: 'bulk_operations',
    personal: ['filter'],
    beside: ['id', 'created_at', 'finished_at'],
    of: ({ email }) => sql`kind = ${personalDataKind} and filter ->> 'email' = ${email}`,
  }),
  anonymisedRows({
    table: 'bulk_operations',
    stays: 'What was changed, until 30 days later.',
    personal: blank('filter'),
    beside: ['id', 'kind', 'created_at'],
    of: (subject) => sql`kind <> ${personalDataKind} and ${byEmail("filter ->> 'email'")(subject)}`,
  }),
  removedRows({
    table: 'bulk_rejected_rows',
    personal: ['cells'],
    beside: ['operation_id', 'row_number', 'problem'],
    of: byMention(sql`cells::text`),
  }),
];
