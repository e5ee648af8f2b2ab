import { read } from '#src/database/transact.ts';
import { notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { actorNameOf } from '../audit/index.ts';
import type { Context } from '../context.ts';
import { readManagedOrder } from '../orders/index.ts';
import { refundsOf } from '../payments/index.ts';
import { returnedToGiftCard } from '../promotions/index.ts';
import { readLabelOfOrder } from '../shipping/index.ts';
import { type OrderFileView, presentOrderFile, type TimelineEntry } from './present.ts';

/**
 * An order with its label, its refunds and its timeline, each read with one statement.
 * @throws DomainError `not_found`
 */
export async function readOrderFile(ctx: Context, orderId: string): Promise<OrderFileView> {
  const [managed, label, refunds, timeline] = await Promise.all([
    readManagedOrder(ctx, orderId),
    readLabelOfOrder(ctx, orderId),
    refundsOf(ctx, orderId),
    readTimeline(ctx, orderId),
  ]);
  if (!managed) throw notFound('order');
  const giftCardReturnedCents = managed.order.gift_card_cents > 0 ? await returnedToGiftCard(ctx, orderId) : 0;
  return presentOrderFile({ ...managed, giftCardReturnedCents, label, refunds, timeline });
}

/** Older entries of an order that had more than this are left out. */
const entriesMax = 200;

/**
 * The timeline of an order, the oldest entry first: its own dates, parcels, refunds, returns, emails, webhooks and audit
 * log. The id of a delivery has the characters of its event's, so that an index finds it.
 */
async function readTimeline(ctx: Context, orderId: string): Promise<TimelineEntry[]> {
  const tenantId = ctx.tenant.id;
  const newest = await read<TimelineEntry>(
    ctx,
    sql`
    with o as (select * from orders where tenant_id = ${tenantId} and id = ${orderId}),
    happened(at, type, detail) as (
      select v.at, v.type, null from o, lateral (values (o.created_at, 'order.created'), (o.paid_at, 'order.paid'),
        (o.shipped_at, 'order.shipped'), (o.delivered_at, 'order.delivered')) as v(at, type)
      union all
      select purchased_at, 'label.purchased', rate ->> 'carrier' from labels
      where tenant_id = ${tenantId} and order_id = ${orderId}
      union all
      select v.at, v.type, null from labels l join unused_labels u on u.tenant_id = l.tenant_id and u.label_id = l.id,
        lateral (values (u.charged_at, 'label.purchased'), (u.refunded_at, 'label.voided')) as v(at, type)
      where l.tenant_id = ${tenantId} and l.order_id = ${orderId} and u.state = 'voided_at_provider'
      union all
      select v.at, v.type, t.tracking_number from trackings t, lateral (values
        (t.status_at, case when t.status in ('failure', 'returned') then 'parcel.' || t.status end),
        (t.overdue_at, 'parcel.overdue')) as v(at, type)
      where t.tenant_id = ${tenantId} and t.order_id = ${orderId} and v.type is not null
      union all
      select settled_at, 'refund.' || state, failure from payment_refunds
      where tenant_id = ${tenantId} and order_id = ${orderId}
      union all
      select created_at, 'return.requested', 'RMA-' || number from returns
      where tenant_id = ${tenantId} and order_id = ${orderId}
      union all
      select coalesce(sent_at, updated_at), 'mail.' || state, kind from mails
      where tenant_id = ${tenantId} and state not in ('queued', 'sending') and subject_id in (
        select ${orderId} union all select id from returns where tenant_id = ${tenantId} and order_id = ${orderId})
      union all
      select d.finished_at, 'webhook.' || d.state, e.type
      from events e cross join lateral (
        select state, finished_at from webhook_deliveries
        where tenant_id = ${tenantId} and event_id = e.id
          and id between 'whd_' || substr(e.id, 5, 23) and 'whd_' || substr(e.id, 5, 23) || 'zzz' offset 0) d
      where e.tenant_id = ${tenantId} and e.object_id in (
        select ${orderId} union all select id from labels where tenant_id = ${tenantId} and order_id = ${orderId}
        union all select id from returns where tenant_id = ${tenantId} and order_id = ${orderId})),
    done as (
      select created_at as at, action as type, actor_kind, actor_id, ${actorNameOf(sql`audit_log`)} as actor_name
      from audit_log where tenant_id = ${tenantId} and subject_kind = 'order' and subject_id = ${orderId}
      union all
      select a.created_at, a.action, a.actor_kind, a.actor_id, ${actorNameOf(sql`a`)}
      from returns r join audit_log a on a.subject_kind = 'return' and a.subject_id = r.id
      where r.tenant_id = ${tenantId} and r.order_id = ${orderId} and a.tenant_id = ${tenantId})
    select at, type, null as "actorKind", null as "actorId", null as "actorName", detail from happened where at is not null
    union all select at, type, actor_kind, actor_id, actor_name, null from done
    order by at desc, type desc limit ${entriesMax}`,
  );
  return newest.toReversed();
}
