import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/** What bringing something into line changed: of which order or subscription, what, from what to what. */
export interface ObservedChange {
  /** An order's number or a subscription's id. */
  readonly of: string;
  readonly field: string;
  /** `null` also where there was no such thing before. */
  readonly before: unknown;
  readonly after: unknown;
}

type Observed = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** How the order of a payment, the order of its invoice, and the subscriptions that it began stand. No addresses. */
export async function observe(
  ctx: InTransaction,
  { orderId, invoiceId }: { orderId: string; invoiceId: string | null },
): Promise<Observed> {
  const rows = await ctx.tx.execute<{ name: string; fields: Record<string, unknown> }>(sql`
    select order_number as name, jsonb_build_object(
      'status', status, 'payment_status', payment_status, 'fulfillment_status', fulfillment_status,
      'total_cents', total_cents, 'refunded_cents', refunded_cents, 'attentions', jsonb_path_query_array(attentions, '$[*].code'),
      'session', (
        select s.state from payment_sessions s where s.tenant_id = ${ctx.tenant.id} and s.order_id = o.id)) as fields
    from orders o where tenant_id = ${ctx.tenant.id} and id in (
      select ${orderId} union all
      select order_id from payment_invoices where tenant_id = ${ctx.tenant.id} and id = ${invoiceId})
    union all
    select id, jsonb_build_object('status', status, 'interval', interval, 'quantity', quantity,
      'unit_price_cents', unit_price_cents, 'current_period_end', current_period_end,
      'cancel_at_period_end', cancel_at_period_end)
    from subscriptions where tenant_id = ${ctx.tenant.id} and order_id = ${orderId}`);
  return new Map(rows.map(({ name, fields }) => [name, fields]));
}

export function whatChanged(before: Observed, after: Observed): ObservedChange[] {
  return [...after].flatMap(([name, fields]) => {
    const known = before.get(name) ?? {};
    return Object.entries(fields).flatMap(([field, value]) => {
      const was = known[field] ?? null;
      return JSON.stringify(was) === JSON.stringify(value) ? [] : [{ of: name, field, before: was, after: value }];
    });
  });
}
