import { asPlatform } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { PlatformContext } from '../context.ts';

/** One attention of an order. */
export interface OrderNeedingAttention {
  readonly tenantId: string;
  readonly id: string;
  readonly orderNumber: string;
  readonly code: string;
  readonly detail: string;
  readonly updatedAt: Date;
}

/**
 * Each open attention of an order that no other page shows, as a part of another statement: `tenant_id`, `id`,
 * `order_number`, `updated_at`, `code` and `detail`. What a waiting label or a second label says is shown with it.
 */
export const openAttentions = sql`
  select o.tenant_id, o.id, o.order_number, o.updated_at, a.code, a.detail
  from orders o cross join lateral jsonb_to_recordset(o.attentions) as a(code text, detail text)
  where o.attentions <> '[]'
    and not exists (select from labels l where l.tenant_id = o.tenant_id and l.order_id = o.id
      and l.state = 'needs_attention' and l.reason_code = a.code)
    and not (a.code = 'duplicate_voided' and exists (
      select from duplicate_labels d join labels l on l.tenant_id = d.tenant_id and l.id = d.label_id
      where d.tenant_id = o.tenant_id and l.order_id = o.id and d.acknowledged_at is null))`;

/** What operators see of every store: the attentions of orders, but for those that are shown with a label. */
export async function ordersNeedingAttention(ctx: PlatformContext, limit: number): Promise<OrderNeedingAttention[]> {
  return asPlatform(ctx, 'operators see the orders of every store that need attention', (ctx) =>
    ctx.tx.execute<OrderNeedingAttention>(sql`
      select tenant_id as "tenantId", id, order_number as "orderNumber", code, detail, updated_at as "updatedAt"
      from (${openAttentions}) as open order by code, id limit ${limit}`),
  );
}
