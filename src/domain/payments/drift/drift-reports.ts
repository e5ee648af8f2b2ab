import { asPlatform, readOne, transact } from '#src/database/transact.ts';
import { fromNow, type TimeRange } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, PlatformContext } from '../../context.ts';
import { type EventGap, shownGaps } from '../events/event-gaps.ts';

const shownMs = days(30);

/** What did not agree. */
export interface Drift {
  /** The orders that are paid at the provider, and were not with us until now. */
  readonly unpaidHere: readonly string[];
  /** The orders, of a checkout or of a renewal, that are paid with us and not at the provider. */
  readonly unpaidThere: readonly string[];
  /** The invoices of renewals that are paid at the provider, and of which we made no order until now. */
  readonly unmadeRenewals: readonly string[];
}

/** Write down what a comparison found, also when that is nothing. */
export async function recordDrift(ctx: Context, { from, to }: TimeRange, drift: Drift): Promise<void> {
  const now = ctx.clock.now();
  await transact(ctx, async (ctx) => {
    await ctx.tx.execute(sql`
      insert into payment_drift_reports
        (tenant_id, id, compared_from, compared_to, unpaid_here, unpaid_there, unmade_renewals, created_at)
      values (${ctx.tenant.id}, ${newId('drift')}, ${from}, ${to}, ${JSON.stringify(drift.unpaidHere)}::jsonb,
        ${JSON.stringify(drift.unpaidThere)}::jsonb, ${JSON.stringify(drift.unmadeRenewals)}::jsonb, ${now})`);
  });
}

/** Up to when the store was compared with its provider; undefined where it never was. */
export async function comparedTo(ctx: Context): Promise<Date | undefined> {
  const row = await readOne<{ to: Date }>(
    ctx,
    sql`
    select compared_to as to from payment_drift_reports where tenant_id = ${ctx.tenant.id} order by created_at desc, id desc limit 1`,
  );
  return row?.to;
}

/** A store that sells through its own account at the payment provider, and when it was last compared with it. */
export interface ComparedStore {
  readonly tenantId: string;
  readonly comparedAt: Date | null;
  /** What the last comparison looked at. */
  readonly from: Date | null;
  readonly to: Date | null;
  /** Since when its webhooks do not arrive and sweeps bring the events. */
  readonly silentSince: Date | null;
}

/** An order, or an invoice of which none was made, of which a comparison said something. */
export interface DriftedOrder {
  readonly tenantId: string;
  /** Of the invoice, where there is no order. */
  readonly orderId: string;
  readonly orderNumber: string;
  /**
   *   unpaid_here      paid at the provider alone, and here since
   *   unpaid_there     paid here alone
   *   unmade_renewal   a period was paid at the provider; its order was made since
   *   no_order         paid at the provider, and there is no order that could be made or paid
   */
  readonly kind: 'unpaid_here' | 'unpaid_there' | 'unmade_renewal' | 'no_order';
  readonly foundAt: Date;
  /** Whether it still waits for a person. */
  readonly isOpen: boolean;
}

/** What operators see of every store: when it was compared with its provider, and what was found in the last 30 days. */
export async function readDrift(
  ctx: PlatformContext,
  limit: number,
): Promise<{ stores: ComparedStore[]; orders: DriftedOrder[]; gaps: EventGap[] }> {
  return asPlatform(ctx, 'operators see what every store and its payment provider do not agree about', async (ctx) => {
    const stores = await ctx.tx.execute<ComparedStore>(sql`
      select a.tenant_id as "tenantId", r.created_at as "comparedAt", r.compared_from as from, r.compared_to as to,
        a.silent_since as "silentSince"
      from payment_accounts a left join lateral (
        select * from payment_drift_reports r where r.tenant_id = a.tenant_id order by r.created_at desc, r.id desc limit 1) r on true
      where a.mode = 'direct' and a.secret_key_sealed is not null
      order by a.silent_since, r.created_at nulls first limit ${limit}`);
    const orders = await ctx.tx.execute<DriftedOrder>(sql`
      with found as (
        select r.tenant_id, r.created_at as at, kind, about
        from payment_drift_reports r, lateral (
          select 'unpaid_here' as kind, jsonb_array_elements_text(unpaid_here) as about
          union all select 'unpaid_there', jsonb_array_elements_text(unpaid_there)
          union all select 'unmade_renewal', jsonb_array_elements_text(unmade_renewals)) as f
        where r.created_at > ${fromNow(ctx.clock, -shownMs)})
      select found.tenant_id as "tenantId", coalesce(o.id, about) as "orderId", coalesce(o.order_number, about) as "orderNumber",
        case when o.id is null then 'no_order' else kind end as kind, min(at) as "foundAt",
        o.id is null or (kind = 'unpaid_there' and o.attentions @> '[{"code": "payment_missing"}]') as "isOpen"
      from found
        left join payment_invoices i on i.tenant_id = found.tenant_id and i.id = about and kind = 'unmade_renewal'
        left join orders o on o.tenant_id = found.tenant_id and o.id = coalesce(i.order_id, about)
      group by found.tenant_id, about, kind, o.id, o.order_number, o.attentions
      order by "isOpen" desc, "foundAt" desc limit ${limit}`);
    return { stores, orders, gaps: await shownGaps(ctx, limit) };
  });
}
