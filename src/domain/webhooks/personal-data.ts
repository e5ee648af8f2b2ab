import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context, InTransaction } from '../context.ts';
import { anonymisedRows, blank, byMention, byOrder, type DataSubject, type PersonalData } from '../personal-data.ts';

/** A receiver may return what it was sent, or name the customer in an error. */
export const webhookPersonalData: readonly PersonalData[] = [
  anonymisedRows({
    table: 'webhook_attempts',
    stays: 'That it was sent, until 30 days later.',
    ofOrders: 'indexed',
    personal: blank('response'),
    beside: ['delivery_id', 'number', 'at', 'status'],
    of: (subject, ctx) => sql`
      response is not null
        and (${byMention(sql`response`)(subject)} or delivery_id in (${deliveriesOf(ctx, subject)}))`,
  }),
];

/** The ids of deliveries about the person's orders, and what belongs to these. */
const deliveriesOf = (ctx: Context, subject: DataSubject): Sql => sql`
  select id from webhook_deliveries where tenant_id = ${ctx.tenant.id} and event_id = any(${eventsOf(ctx, subject)})`;

/** Their events, as a list: joined instead, each of many deliveries could be compared with each of many events. */
const eventsOf = ({ tenant }: Context, subject: DataSubject): Sql => sql`array(
  select id from events where tenant_id = ${tenant.id} and object_id = any(array(
    select unnest(${subject.orderIds}::text[])
    union all select id from labels where tenant_id = ${tenant.id} and ${byOrder(subject)}
    union all select id from returns where tenant_id = ${tenant.id} and ${byOrder(subject)}
    union all select id from subscriptions where tenant_id = ${tenant.id} and ${byOrder(subject)})))`;

/**
 * Let none of the person's webhooks begin until the transaction ends.
 * @returns whether one is being delivered, whose response is not stored yet
 */
export async function holdDeliveries(ctx: InTransaction, subject: DataSubject): Promise<boolean> {
  const held = await ctx.tx.execute<{ isClaimed: boolean }>(sql`
    select lease_token is not null and next_attempt_at > ${ctx.clock.now()} as "isClaimed" from webhook_deliveries
    where tenant_id = ${ctx.tenant.id} and state = 'pending' and event_id = any(${eventsOf(ctx, subject)})
    order by id for update`);
  return held.some(({ isClaimed }) => isClaimed);
}
