import { sql } from '#src/lib/sql.ts';
import { byEmail, type PersonalData, removedRows } from '../personal-data.ts';

export const sessionPersonalData: readonly PersonalData[] = [
  removedRows({
    table: 'sign_in_links',
    personal: ['email', 'redirect_path'],
    beside: ['id', 'outcome', 'created_at', 'used_at', 'expires_at'],
    of: byEmail('email'),
  }),
  removedRows({
    table: 'sessions',
    personal: ['customer_id'],
    beside: ['id', 'created_at', 'ended_at', 'end_reason', 'refresh_expires_at'],
    of: ({ customerId }) => sql`customer_id = ${customerId}`,
  }),
];
