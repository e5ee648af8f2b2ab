import { sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, byOrder, type PersonalData, retainedRows } from '../personal-data.ts';

/**
 * The label's file and the provider's messages name the customer. Its cost and tracking number stay for the accounts.
 */
export const shippingPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'labels',
    stays: 'Costs and tracking numbers, for the accounts.',
    ofOrders: 'indexed',
    personal: blank('label_url', 'reason_detail'),
    beside: ['id', 'order_number', 'state', 'amount_cents', 'tracking_number', 'purchased_at'],
    of: (subject) => sql`${byOrder(subject)} and (label_url is not null or reason_detail is not null)`,
  }),
  retainedRows({
    table: 'trackings',
    stays: 'That the goods arrived, for the accounts.',
    ofOrders: 'indexed',
    beside: ['order_id', 'carrier', 'tracking_number', 'status', 'status_at'],
    of: byOrder,
  }),
];
