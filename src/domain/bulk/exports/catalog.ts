import { sql } from '#src/lib/sql.ts';
import { tagsOfProduct } from '../../catalog/index.ts';
import type { ExportKind } from '../export-kind.ts';
import { productTable } from '../kinds/product-table.ts';
import { shopifyProducts } from './shopify-products.ts';

/** Of what was sold beyond it, a new variant begins with none. */
const openingStock = sql`case when v.stock < 0 then 0 else v.stock end as stock`;
const ofVariant = sql`v.options, v.price_cents, v.compare_at_cents, v.subscription_price_cents,
  v.weight_oz::float8 as weight_oz, v.ships, ${openingStock}, v.low_stock_at, v.backorder`;

/** As an import reads them. */
export const exportProducts: ExportKind = {
  name: 'products',
  area: 'catalog',
  columns: [...productTable.required, ...productTable.optional],
  select: ({ tenant }) => sql`
    select p.slug, p.name, p.description, p.category, array_to_string(${tagsOfProduct}, ', ') as tags, p.status,
      p.images, array_to_string(p.purchase_types, ', ') as purchase_types,
      array_to_string(p.subscription_intervals, ', ') as subscription_intervals, v.sku, v.name as variant_name,
      ${ofVariant}
    from products p join variants v on v.tenant_id = p.tenant_id and v.product_id = p.id and v.removed_at is null
    where p.tenant_id = ${tenant.id} and p.removed_at is null order by p.id, v.position, v.id`,
  selectObjects: ({ tenant }) => sql`
    select p.slug, p.name, p.description, p.category, ${tagsOfProduct} as tags, p.status, p.images, p.purchase_types,
      p.subscription_intervals, (
        select json_agg(variant order by position, id) from (
          select row_to_json(each) as variant, v.position, v.id
          from variants v cross join lateral (select v.sku, v.name, ${ofVariant}) as each
          where v.tenant_id = p.tenant_id and v.product_id = p.id and v.removed_at is null) as all_of) as variants
    from products p where p.tenant_id = ${tenant.id} and p.removed_at is null order by p.id`,
  shopify: shopifyProducts,
};

export const exportStock: ExportKind = {
  name: 'stock',
  area: 'catalog',
  columns: ['variant_id', 'sku', 'quantity', 'if_quantity', 'held', 'product_slug', 'name'],
  select: ({ tenant }) => sql`
    select v.id as variant_id, v.sku, v.stock as quantity, v.stock as if_quantity, v.stock_held as held,
      p.slug as product_slug, v.name
    from variants v join products p on p.tenant_id = v.tenant_id and p.id = v.product_id
    where v.tenant_id = ${tenant.id} and v.removed_at is null and p.removed_at is null order by v.id`,
};
