import { notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { IdentifiedChange } from '../change.ts';
import type { InTransaction } from '../context.ts';
import { completePatch, type ProductPatch, validProduct } from './complete-inputs.ts';
import { lockProducts, type SavedProduct, type SavedVariant } from './product-rows.ts';
import { saveProducts } from './save-product.ts';

/** A product of the catalog, with its variants that are not removed. */
export type CatalogProduct = Omit<SavedProduct, 'removed'>;
export type CatalogVariant = SavedVariant;

/**
 * Change several products. `edit` returns the fields that should differ, and is called once for each id, in their order.
 * @throws DomainError `not_found` for an unknown id, `invalid_request`
 */
export async function editProducts(
  ctx: InTransaction,
  ids: readonly string[],
  edit: (product: CatalogProduct, index: number) => Omit<ProductPatch, 'slug'>,
): Promise<IdentifiedChange[]> {
  const rows = await ctx.tx.execute<{ id: string; slug: string }>(sql`
    select id, slug from products
    where tenant_id = ${ctx.tenant.id} and id = any(${ids}::text[]) and removed_at is null`);
  const slugs = new Map(rows.map(({ id, slug }) => [id, slug]));
  const found = await lockProducts(ctx, [...slugs.values()]);
  const inputs = ids.map((id, index) => {
    const slug = slugs.get(id);
    const product = slug === undefined ? undefined : found.get(slug);
    if (slug === undefined || !product || product.removed) throw notFound('product');
    const variants = product.variants.filter(({ removed }) => !removed);
    return validProduct(completePatch({ ...edit({ ...product, variants }, index), slug }, product));
  });
  return saveProducts(ctx, inputs, {});
}
