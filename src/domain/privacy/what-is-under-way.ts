import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { DataSubject } from '../personal-data.ts';

/**
 * What would fail, or bring the person back, if the person were gone now: each as a part of a sentence that says what
 * to do first.
 */
export async function erasureBlockers(
  ctx: InTransaction,
  { email, customerId, orderIds }: DataSubject,
): Promise<string[]> {
  const rows = await ctx.tx.execute<{ obstacle: string }>(sql`
    select order_number || ' may still be paid: wait until it has expired' as obstacle from orders
      where tenant_id = ${ctx.tenant.id} and id = any(${orderIds}) and status = 'pending'
    union all
    select order_number || ' was not sent yet: send it or refund it' from orders
      where tenant_id = ${ctx.tenant.id} and id = any(${orderIds}) and status in ('paid', 'partially_refunded')
        and fulfillment_status in ('unfulfilled', 'needs_attention', 'label_purchased')
    union all
    select 'a refund of ' || o.order_number || ' is on its way: wait for it' from payment_refunds r
      join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = r.order_id
      where r.tenant_id = ${ctx.tenant.id} and r.order_id = any(${orderIds}) and r.state = 'requested'
    union all
    select 'RMA-' || number || ' is open: close it' from returns
      where tenant_id = ${ctx.tenant.id} and (lower(email) = ${email} or order_id = any(${orderIds}))
        and status in ('requested', 'approved', 'received')
    union all
    select 'the subscription ' || id || ' is ' || status || ': cancel it' from subscriptions
      where tenant_id = ${ctx.tenant.id} and status <> 'canceled'
        and (lower(email) = ${email} or customer_id = ${customerId})`);
  return rows.map(({ obstacle }) => obstacle);
}
