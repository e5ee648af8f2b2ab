import { sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, type PersonalData } from '../personal-data.ts';

/** What was seen of somebody counts on, by nobody: the numbers of a day do not change. */
export const analyticsPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'analytics_events',
    personal: blank('customer_id', 'session_id', 'anonymous_id', 'visitor', 'properties'),
    beside: ['occurred_at', 'type', 'order_id', 'product_slug', 'value_cents'],
    of: ({ email, customerId, orderIds }) => sql`
      coalesce(customer_id, session_id, anonymous_id, visitor) is not null and (
        customer_id in (${customerId}, ${email}) or order_id = any(${orderIds}))`,
  }),
];
