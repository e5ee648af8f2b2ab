import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { type ProductRow, tagsOfProduct } from './published-products.ts';

/** The fields of a product that search indexes. */
export interface ProductDocument
  extends Pick<ProductRow, 'id' | 'slug' | 'name' | 'description' | 'category' | 'tags'> {
  readonly skus: readonly string[];
  readonly variantNames: readonly string[];
}

/** Those of these products that are published, for the search index. */
export async function productDocuments(ctx: InTransaction, ids: readonly string[]): Promise<ProductDocument[]> {
  return ctx.tx.execute<ProductDocument>(sql`
    select p.id, p.slug, p.name, p.description, p.category, ${tagsOfProduct} as tags, v.skus,
      v.names as "variantNames"
    from unnest(${ids}::text[]) as given cross join lateral (
      select * from products p where p.tenant_id = ${ctx.tenant.id} and p.id = given offset 0) as p
    cross join lateral (
      select coalesce(array_agg(v.sku order by v.position) filter (where v.removed_at is null), '{}') as skus,
        coalesce(array_agg(v.name order by v.position) filter (where v.removed_at is null), '{}') as names
      from variants v where v.tenant_id = p.tenant_id and v.product_id = p.id offset 0) as v
    where p.status = 'published' and p.removed_at is null`);
}
