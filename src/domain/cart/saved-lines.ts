import { sql } from '#src/lib/sql.ts';
import type { StockLevel } from '../catalog/index.ts';

/** A line of a saved cart, with what the catalogue says now of it. */
export interface SavedLine extends StockLevel {
  readonly productSlug: string | null;
  readonly variantId: string | null;
  /** As whoever saved the cart called it: not for a mail of ours. */
  readonly name: string | null;
  readonly productName: string | null;
  readonly variantName: string | null;
  readonly quantity: number;
  /** What was saved. */
  readonly unitPriceCents: number | null;
  /** What it costs now. Null: it is not sold any more, or it is not certain which variant was meant. */
  readonly currentUnitPriceCents: number | null;
  /** How many variants may be meant. None: it is not sold any more. */
  readonly variantCount: number;
}

/**
 * The lines of a row `s` of `saved_carts`, as JSON. What was saved without its variant is the only one that the product
 * has, where it has one.
 */
export const savedLines = sql`
  (select coalesce(json_agg(json_build_object(
      'productSlug', coalesce(w."productSlug", f.slug), 'variantId', w."variantId",
      'name', coalesce(w.name, f.product_name), 'productName', f.product_name,
      'variantName', case when f.count = 1 then f.name end, 'quantity', w.quantity,
      'unitPriceCents', w."unitPriceCents", 'variantCount', coalesce(f.count, 0),
      'currentUnitPriceCents', case when f.count = 1 then f.price_cents end,
      'stock', f.stock, 'stockHeld', coalesce(f.stock_held, 0), 'lowStockAt', f.low_stock_at,
      'backorder', coalesce(f.backorder, false)) order by w.position), '[]')
    from rows from (jsonb_to_recordset(s.items)
      as ("productSlug" text, "variantId" text, name text, quantity int, "unitPriceCents" bigint))
      with ordinality as w("productSlug", "variantId", name, quantity, "unitPriceCents", position)
    left join lateral (
      select v.*, p.slug, p.name as product_name, count(*) over () as count
      from products p
      join variants v on v.tenant_id = p.tenant_id and v.product_id = p.id
        and case when v.removed_at is null then w."variantId" is null or v.id = w."variantId" end
      where p.tenant_id = s.tenant_id and p.status = 'published' and p.removed_at is null
        and p.id = case when w."variantId" is null
          then (select id from products named where named.tenant_id = s.tenant_id and named.slug = w."productSlug")
          else (select product_id from variants named where named.tenant_id = s.tenant_id and named.id = w."variantId")
        end
      limit 1) f on true)`;
