import { sql } from '#src/lib/sql.ts';
import { byEmail, type PersonalData, removedRows } from '../personal-data.ts';

export const mailPersonalData: readonly PersonalData[] = [
  removedRows({
    table: 'mails',
    personal: ['recipient', 'data'],
    beside: ['id', 'kind', 'state', 'created_at', 'sent_at'],
    ofOrders: 'indexed',
    // Those about an order may have gone to a mistyped email, and its gift to somebody else.
    of: ({ email, orderIds }, { tenant }) => sql`
      recipient = ${email} or subject_id = any(${orderIds}::text[] || array(
        select id from returns where tenant_id = ${tenant.id} and order_id = any(${orderIds})))`,
  }),
  removedRows({
    table: 'mail_suppressions',
    personal: ['address'],
    beside: ['created_at', 'reason'],
    of: byEmail('address'),
  }),
];
