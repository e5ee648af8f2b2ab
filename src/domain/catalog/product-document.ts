import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';

/** The fields of a product that search indexes. */
export interface ProductDocument {
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly skus: readonly string[];
  readonly variantNames: readonly string[];
}

/**
 * A published product for the search index. Its row is locked against changes until the transaction ends.
 * @returns `undefined` when there is no published product with this id
 */
export async function productDocument(ctx: InTransaction, id: string): Promise<ProductDocument | undefined> {
  await ctx.tx.execute(sql`select from products where tenant_id = ${ctx.tenant.id} and id = ${id} for share`);
  const [product] = await ctx.tx.execute<ProductDocument>(sql`
    select p.slug, p.name, p.description, p.category,
      array(select t.tag from product_tags t
            where t.tenant_id = p.tenant_id and t.product_id = p.id order by t.position) as tags,
      v.skus, v.names as "variantNames"
    from products p, lateral (
      select coalesce(array_agg(v.sku order by v.position) filter (where v.removed_at is null), '{}') as skus,
        coalesce(array_agg(v.name order by v.position) filter (where v.removed_at is null), '{}') as names
      from variants v where v.tenant_id = p.tenant_id and v.product_id = p.id) as v
    where p.tenant_id = ${ctx.tenant.id} and p.id = ${id} and p.status = 'published' and p.removed_at is null`);
  return product;
}
