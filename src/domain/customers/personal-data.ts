import { sql } from '#src/lib/sql.ts';
import { byEmail, type PersonalData, removedRows } from '../personal-data.ts';

/** The payment provider's ids come first, as they are found by the customer's row. */
export const customerPersonalData: readonly PersonalData[] = [
  removedRows({
    table: 'customer_payment_ids',
    personal: ['customer_id', 'payment_customer_id'],
    beside: ['environment', 'created_at'],
    of: ({ customerId }) => sql`customer_id = ${customerId}`,
  }),
  removedRows({
    table: 'customers',
    personal: ['email', 'name'],
    event: 'customer.erased',
    beside: ['id', 'accepts_marketing', 'created_at'],
    of: byEmail('email'),
  }),
];
