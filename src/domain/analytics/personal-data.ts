import { sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, type PersonalData, removedRows } from '../personal-data.ts';

/**
 * What was seen of somebody counts on, by nobody: the numbers of a day do not change. What could not be counted and tells
 * of the person is not worth keeping.
 */
export const analyticsPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'analytics_events',
    personal: blank('customer_id', 'session_id', 'anonymous_id', 'visitor', 'properties'),
    beside: ['occurred_at', 'type', 'order_id', 'product_slug', 'value_cents'],
    of: ({ email, customerId, orderIds }) => sql`
      coalesce(customer_id, session_id, anonymous_id, visitor) is not null and (
        customer_id in (${customerId}, ${email}) or order_id = any(${orderIds}))`,
  }),
  removedRows({
    table: 'analytics_quarantine',
    personal: ['events', 'visitor'],
    beside: ['id', 'received_at', 'reason'],
    // As text: what is set aside may be JSON that PostgreSQL does not read.
    of: ({ email, customerId, orderIds }) => sql`exists (
      select from unnest(${[email, ...(customerId ? [customerId] : []), ...orderIds]}::text[]) as told(word)
      where strpos(lower(events::text), told.word) > 0)`,
  }),
];
