import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import type { ProductRecord, VariantRecord } from './product-record.ts';

export interface SavedVariant extends VariantRecord {
  readonly id: string;
  readonly stock: number | null;
  readonly removed: boolean;
}

/** A product as it is saved. What was removed is there too: it comes back under its own id. */
export interface SavedProduct extends Omit<ProductRecord, 'variants'> {
  readonly id: string;
  readonly removed: boolean;
  readonly variants: readonly SavedVariant[];
}

/**
 * The products of these slugs, locked until the transaction ends, also those that there are not yet. Always in one
 * order, so that two who save the same products do not block each other.
 */
export async function lockProducts(ctx: InTransaction, slugs: readonly string[]): Promise<Map<string, SavedProduct>> {
  const names = slugs.map((slug) => `product ${ctx.tenant.id} ${slug}`);
  await ctx.tx.execute(sql`
    select pg_advisory_xact_lock(key)
    from (select hashtextextended(name, 0) as key from unnest(${names}::text[]) as name order by 1) as keys`);
  const products = await ctx.tx.execute<SavedProduct & { slug: string }>(sql`
    select p.slug, p.id, p.removed_at is not null as removed, p.name, p.description, p.category, p.status, p.images,
      p.purchase_types, p.subscription_intervals,
      array(select t.tag from product_tags t
            where t.tenant_id = p.tenant_id and t.product_id = p.id order by t.position) as tags,
      (select coalesce(json_agg(json_build_object(
          'id', v.id, 'sku', v.sku, 'name', v.name, 'options', v.options, 'price_cents', v.price_cents,
          'compare_at_cents', v.compare_at_cents, 'subscription_price_cents', v.subscription_price_cents,
          'weight_oz', v.weight_oz, 'ships', v.ships, 'low_stock_at', v.low_stock_at, 'backorder', v.backorder,
          'stock', v.stock, 'removed', v.removed_at is not null) order by v.position, v.id), '[]')
       from variants v where v.tenant_id = p.tenant_id and v.product_id = p.id) as variants
    from products p where p.tenant_id = ${ctx.tenant.id} and p.slug = any(${slugs}::text[])`);
  return new Map(products.map(({ slug, ...product }) => [slug, product]));
}

/** Whether any of these SKUs is sold at present. */
export async function isAnySold(ctx: InTransaction, skus: readonly string[]): Promise<boolean> {
  if (skus.length === 0) return false;
  const sold = await ctx.tx.execute(sql`
    select 1 from variants where tenant_id = ${ctx.tenant.id} and sku = any(${skus}::text[]) and removed_at is null limit 1`);
  return sold.length > 0;
}
