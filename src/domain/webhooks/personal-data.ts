import { sql } from '#src/lib/sql.ts';
import { anonymisedRows, blank, byMention, byOrder, type PersonalData } from '../personal-data.ts';

/** A receiver may return what it was sent, or name the customer in an error. */
export const webhookPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'webhook_attempts',
    personal: blank('response'),
    beside: ['delivery_id', 'number', 'at', 'status'],
    of: (subject, { tenant }) => sql`
      response is not null and (${byMention(sql`response`)(subject)} or delivery_id in (
        select d.id from webhook_deliveries d join events e on e.tenant_id = ${tenant.id} and e.id = d.event_id
        where d.tenant_id = ${tenant.id} and e.object_id in (
          select unnest(${subject.orderIds}::text[])
          union all select id from labels where tenant_id = ${tenant.id} and ${byOrder(subject)}
          union all select id from returns where tenant_id = ${tenant.id} and ${byOrder(subject)}
          union all select id from subscriptions where tenant_id = ${tenant.id} and ${byOrder(subject)})))`,
  }),
];
