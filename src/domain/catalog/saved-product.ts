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

/** A slug's product, locked until the transaction ends, also while there is none yet. */
export async function lockProduct(ctx: InTransaction, slug: string): Promise<SavedProduct | undefined> {
  await ctx.tx.run(sql`select pg_advisory_xact_lock(hashtextextended(${`product ${ctx.tenant.id} ${slug}`}, 0))`);
  const [product] = await ctx.tx.run<SavedProduct>(sql`
    select p.id, p.removed_at is not null as removed, p.name, p.description, p.category, p.status, p.images,
      p.purchase_types, p.subscription_intervals,
      array(select t.tag from product_tags t
            where t.tenant_id = p.tenant_id and t.product_id = p.id order by t.position) as tags,
      (select coalesce(json_agg(json_build_object(
          'id', v.id, 'sku', v.sku, 'name', v.name, 'options', v.options, 'price_cents', v.price_cents,
          'compare_at_cents', v.compare_at_cents, 'subscription_price_cents', v.subscription_price_cents,
          'weight_oz', v.weight_oz, 'ships', v.ships, 'low_stock_at', v.low_stock_at, 'backorder', v.backorder,
          'stock', v.stock, 'removed', v.removed_at is not null) order by v.position, v.id), '[]')
       from variants v where v.tenant_id = p.tenant_id and v.product_id = p.id) as variants
    from products p where p.tenant_id = ${ctx.tenant.id} and p.slug = ${slug}`);
  return product;
}
