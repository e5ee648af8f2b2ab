import { sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, type PersonalData, removedRows } from '../personal-data.ts';

/**
 * Events are anonymised and not removed, so that the numbers of a day do not change. Quarantined batches that mention
 * the data subject are removed.
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
    // Searched as text, because a quarantined batch may be JSON that PostgreSQL cannot parse.
    of: ({ email, customerId, orderIds }) => sql`exists (
      select from unnest(${[email, ...(customerId ? [customerId] : []), ...orderIds]}::text[]) as identifiers(word)
      where strpos(lower(events::text), identifiers.word) > 0)`,
  }),
];
