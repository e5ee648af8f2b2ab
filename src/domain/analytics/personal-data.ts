import { lowerCase, rawSql, sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, byMention, type PersonalData, removedRows } from '../personal-data.ts';

/** What a page sends as an id or slug, unless it is something else, such as an email. */
const idOnly = (column: string) => sql`substring(${rawSql(column)} from '^[\\w-]+$')`;

const idColumns = ['order_id', 'cart_id', 'product_slug', 'variant_id'];

/**
 * Events are anonymised and not removed, so that the numbers of a day do not change. Quarantined batches that mention
 * the data subject are removed.
 */
export const analyticsPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'analytics_events',
    stays: 'The numbers of a day do not change.',
    ofOrders: 'scanned',
    personal: {
      ...blank('customer_id', 'session_id', 'anonymous_id', 'visitor', 'properties'),
      ...Object.fromEntries(idColumns.map((column) => [column, idOnly(column)])),
    },
    beside: ['occurred_at', 'type', 'value_cents'],
    of: (subject) => sql`
      ${byMention(sql`analytics_events::text`)(subject)} or coalesce(customer_id, session_id, anonymous_id, visitor)
      is not null and (customer_id = ${subject.customerId} or order_id = any(${subject.orderIds}))`,
  }),
  removedRows({
    table: 'analytics_quarantine',
    ofOrders: 'scanned',
    personal: ['events', 'visitor'],
    beside: ['id', 'received_at', 'reason'],
    // Searched as text, because a quarantined batch may be JSON that PostgreSQL cannot parse.
    of: (subject) => sql`${byMention(sql`events::text`)(subject)} or exists (
      select from unnest(${[...(subject.customerId ? [subject.customerId] : []), ...subject.orderIds]}::text[]) as ids(id)
      where strpos(${lowerCase(sql`events::text`)}, ids.id) > 0)`,
  }),
];
