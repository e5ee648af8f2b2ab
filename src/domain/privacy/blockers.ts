import { lowerCase, sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { isAnySent } from '../orders/index.ts';
import { byMention } from '../personal-data.ts';
import { holdDeliveries } from '../webhooks/index.ts';
import type { KnownSubject } from './find-data-subject.ts';

/** What has to end before a person is erased. */
export interface Blockers {
  /** What is still in progress and would fail, or store the person's data again. Each says what to do first. */
  readonly blockers: readonly string[];
  /** Whether a webhook about the person is being delivered, which takes seconds. Until the commit no other begins. */
  readonly isDelivering: boolean;
}

/** Find what prevents the erasure of a person. */
export async function erasureBlockers(ctx: InTransaction, subject: KnownSubject): Promise<Blockers> {
  const { email, customerId, orderIds } = subject;
  const mentions = byMention(sql`concat_ws(' ', o.metadata, s.request ->> 'returnUrl', s.request ->> 'cancelUrl')`);
  const rows = await ctx.tx.execute<{ blocker: string }>(sql`
    select o.order_number || ' may still be paid: wait until it has expired' as blocker from orders o
      left join payment_sessions s on s.tenant_id = ${ctx.tenant.id} and s.order_id = o.id
      where o.tenant_id = ${ctx.tenant.id} and o.status = 'pending'
        and (o.id = any(${orderIds}) or ${mentions(subject)})
    union all
    select o.order_number || ' was not sent yet: send it or refund it' from orders o
      where o.tenant_id = ${ctx.tenant.id} and o.id = any(${orderIds}) and o.status in ('paid', 'partially_refunded')
        and o.fulfillment_status in ('unfulfilled', 'needs_attention', 'label_purchased') and ${isAnySent}
    union all
    select 'a refund of ' || o.order_number || ' is on its way: wait for it' from payment_refunds r
      join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = r.order_id
      where r.tenant_id = ${ctx.tenant.id} and r.order_id = any(${orderIds}) and r.state = 'requested'
    union all
    select 'the payment of ' || order_number || ' is disputed: wait for the decision' from orders
      where tenant_id = ${ctx.tenant.id} and id = any(${orderIds}) and dispute_status = 'open'
    union all
    select 'RMA-' || number || ' is open: close it' from returns
      where tenant_id = ${ctx.tenant.id} and (${lowerCase(sql`email`)} = ${email} or order_id = any(${orderIds}))
        and status in ('requested', 'approved', 'received')
    union all
    select 'the subscription ' || id || ' is ' || status || ': cancel it' from subscriptions
      where tenant_id = ${ctx.tenant.id} and status <> 'canceled'
        and (${lowerCase(sql`email`)} = ${email} or customer_id = ${customerId})
    union all
    select 'this email address belongs to the staff of the store: revoke the member' from staff
      where tenant_id = ${ctx.tenant.id} and email = ${email} and revoked_at is null`);
  return {
    blockers: rows.map(({ blocker }) => blocker),
    isDelivering: await holdDeliveries(ctx, subject),
  };
}
