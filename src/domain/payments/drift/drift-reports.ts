import { asPlatform, readOne, transact } from '#src/database/transact.ts';
import { fromNow, type TimeRange } from '#src/lib/clock.ts';
import { days } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context, PlatformContext } from '../../context.ts';
import { isOfStore } from '../../tenants/index.ts';
import { type EventGap, shownGaps } from '../events/event-gaps.ts';

const shownMs = days(30);

/** What a comparison found. */
export interface Drift {
  /** The orders that were paid at the provider and not here. */
  readonly unpaidHere: readonly string[];
  /** The orders, of a checkout or of a renewal, that are paid here and not at the provider. */
  readonly unpaidThere: readonly string[];
  /** The invoices of renewals that were paid at the provider and had no order. */
  readonly unmadeRenewals: readonly string[];
}

/** Store what a comparison found, also when it found nothing. */
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
    select compared_to as to from payment_drift_reports where tenant_id = ${ctx.tenant.id}
    order by created_at desc, id desc limit 1`,
  );
  return row?.to;
}

/** A store with its own account at the payment provider, and its last comparison. */
export interface ComparedStore {
  readonly tenantId: string;
  readonly comparedAt: Date | null;
  /** The time range of the last comparison. */
  readonly from: Date | null;
  readonly to: Date | null;
  /** Since when webhooks do not arrive and sweeps find the events. */
  readonly silentSince: Date | null;
}

/** An order, or an invoice without one, that a comparison found. */
export interface DriftedOrder {
  readonly tenantId: string;
  /** The invoice's id, where there is no order. */
  readonly orderId: string;
  readonly orderNumber: string;
  /**
   *   unpaid_here      it was paid at the provider only, and has been paid here since
   *   unpaid_there     it is paid here only
   *   unmade_renewal   a renewal was paid at the provider; its order has been created since
   *   no_order         it was paid at the provider, and there is no order for it
   */
  readonly kind: 'unpaid_here' | 'unpaid_there' | 'unmade_renewal' | 'no_order';
  readonly foundAt: Date;
  /** Whether it still needs an operator. */
  readonly isOpen: boolean;
}

/** The last comparison of every store, and what was found in the last 30 days, for operators. */
export async function readDrift(
  ctx: PlatformContext,
  limit: number,
): Promise<{ stores: ComparedStore[]; orders: DriftedOrder[]; gaps: EventGap[] }> {
  return asPlatform(ctx, 'operators see where orders and payments of a store do not agree', async (ctx) => {
    const stores = await ctx.tx.execute<ComparedStore>(sql`
      select a.tenant_id as "tenantId", r.created_at as "comparedAt", r.compared_from as from, r.compared_to as to,
        a.silent_since as "silentSince"
      from payment_accounts a left join lateral (
        select * from payment_drift_reports r where r.tenant_id = a.tenant_id
        order by r.created_at desc, r.id desc limit 1) r on true
      where a.mode = 'direct' and a.secret_key_sealed is not null and ${isOfStore(sql`a.tenant_id`)}
      order by a.silent_since, r.created_at nulls first limit ${limit}`);
    const orders = await ctx.tx.execute<DriftedOrder>(sql`
      with found as (
        select r.tenant_id, r.created_at as at, kind, about
        from payment_drift_reports r, lateral (
          select 'unpaid_here' as kind, jsonb_array_elements_text(unpaid_here) as about
          union all select 'unpaid_there', jsonb_array_elements_text(unpaid_there)
          union all select 'unmade_renewal', jsonb_array_elements_text(unmade_renewals)) as f
        where r.created_at > ${fromNow(ctx.clock, -shownMs)} and ${isOfStore(sql`r.tenant_id`)})
      select found.tenant_id as "tenantId", coalesce(o.id, about) as "orderId",
        coalesce(o.order_number, about) as "orderNumber",
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
