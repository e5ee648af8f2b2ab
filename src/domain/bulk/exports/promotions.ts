import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../../context.ts';
import { attributedSales } from '../../partners/index.ts';
import { type ExportKind, type ExportRange, inRange } from '../export-kind.ts';

/** With the columns that an import reads. */
export const exportPromoCodes: ExportKind = {
  name: 'promo_codes',
  area: 'promotions',
  columns: [
    'code',
    'type',
    'value',
    'value_cents',
    'min_subtotal_cents',
    'usage_limit',
    'per_customer_limit',
    'starts_at',
    'ends_at',
    'products',
    'used',
    'created_at',
  ],
  select: (ctx, range) =>
    selectPromoCodes(ctx, range, sql`array_to_string(array(select jsonb_array_elements_text(c.products)), ', ')`),
  selectObjects: (ctx, range) => selectPromoCodes(ctx, range, sql`c.products`),
};

const selectPromoCodes = ({ tenant }: Context, range: ExportRange, products: Sql): Sql => sql`
  select c.code, c.type, c.percent::float8 as value, c.value_cents, c.min_subtotal_cents, c.usage_limit,
    c.per_customer_limit, c.starts_at, c.ends_at, ${products} as products, c.used, c.created_at
  from promo_codes c
  where c.tenant_id = ${tenant.id} and c.removed_at is null and ${inRange('c.created_at', range)} order by c.id`;

/** With the columns that an import reads. */
export const exportPartners: ExportKind = {
  name: 'partners',
  area: 'customers',
  columns: [
    'code',
    'name',
    'commission_percent',
    'discount_percent',
    'window',
    'orders',
    'total_cents',
    'commission_cents',
    'created_at',
  ],
  select: (ctx, range) => sql`
    select p.code, p.name, p.commission_percent::float8 as commission_percent,
      p.discount_percent::float8 as discount_percent, case
        when p.window_ms % 86400000 = 0 then p.window_ms / 86400000 || 'd'
        when p.window_ms % 3600000 = 0 then p.window_ms / 3600000 || 'h'
        else p.window_ms || 'ms' end as "window",
      count(s.order_id) as orders, coalesce(sum(s.total_cents), 0)::int8 as total_cents,
      coalesce(sum(s.commission_cents), 0)::int8 as commission_cents, p.created_at
    from partners p left join (${attributedSales(ctx)}) as s on s.partner_id = p.id
    where p.tenant_id = ${ctx.tenant.id} and p.removed_at is null and ${inRange('p.created_at', range)}
    group by p.tenant_id, p.id order by p.id`,
};

/** A row for each order that is attributed to a partner, also to a removed one, in the range of its attribution. */
export const exportCommissions: ExportKind = {
  name: 'commissions',
  area: 'customers',
  columns: [
    'partner_code',
    'partner_name',
    'order_number',
    'attributed_at',
    'currency',
    'total_cents',
    'commission_cents',
  ],
  select: (ctx, range) => sql`
    select p.code as partner_code, p.name as partner_name, o.order_number, s.attributed_at, o.currency, s.total_cents,
      s.commission_cents
    from (${attributedSales(ctx)}) as s
    join partners p on p.tenant_id = ${ctx.tenant.id} and p.id = s.partner_id
    join orders o on o.tenant_id = ${ctx.tenant.id} and o.id = s.order_id
    where ${inRange('s.attributed_at', range)} order by s.attributed_at, s.order_id`,
};
