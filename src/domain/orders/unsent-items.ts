import { type Sql, sql } from '#src/lib/sql.ts';

/**
 * A query, to be joined to items `i` of orders `o`, for how many of each are not sent: `unsent`, those of an approved
 * return that was requested before the order shipped. Of closed returns, those whose items were released are not counted
 * as returned.
 */
export const unsentOfItem: Sql = sql`lateral (
  select coalesce(sum(l.quantity) filter (where t.status in ('approved', 'received', 'refunded') and is_early), 0)
      + least(
        i.returned_quantity - coalesce(sum(l.quantity) filter (where t.status not in ('rejected', 'closed')), 0),
        coalesce(sum(l.quantity) filter (where t.status = 'closed' and is_early), 0)) as unsent
  from return_items l join returns t on t.tenant_id = l.tenant_id and t.id = l.return_id,
    lateral (values (o.shipped_at is null or t.created_at < o.shipped_at)) as e(is_early)
  where l.tenant_id = i.tenant_id and l.order_item_id = i.id)`;
