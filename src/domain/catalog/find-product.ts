import { readOne } from '#src/database/transact.ts';
import { notFound } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { Image } from './product-record.ts';
import { type ProductRow, publishedProducts } from './published-products.ts';
import type { StockLevel } from './stock-level.ts';

export interface VariantRow extends StockLevel {
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
  readonly priceCents: number;
  readonly subscriptionPriceCents: number | null;
  readonly weightOz: number | null;
}

/** A published product with what can be bought of it. Throws not_found. */
export async function findProduct(
  ctx: Context,
  slug: string,
): Promise<ProductRow & { variants: readonly VariantRow[] }> {
  const variants = sql`, (
      select json_agg(json_build_object('id', v.id, 'sku', v.sku, 'name', v.name, 'options', v.options,
        'priceCents', v.price_cents, 'subscriptionPriceCents', v.subscription_price_cents, 'weightOz', v.weight_oz,
        'stock', v.stock, 'stockHeld', v.stock_held, 'lowStockAt', v.low_stock_at, 'backorder', v.backorder)
        order by v.position) filter (where v.removed_at is null)
      from variants v
      where v.tenant_id = p.tenant_id and v.product_id = p.id) as variants`;
  const product = await readOne<ProductRow & { variants: VariantRow[] }>(
    ctx,
    sql`
    ${publishedProducts(ctx, variants)} and p.slug = ${slug}`,
    { brief: true },
  );
  if (!product) throw notFound('product');
  return product;
}

/** The pictures of a published product. Throws not_found. */
export async function listImages(ctx: Context, slug: string): Promise<readonly Image[]> {
  const product = await readOne<{ images: Image[] }>(
    ctx,
    sql`
    select p.images from products p
    where p.tenant_id = ${ctx.tenant.id} and p.slug = ${slug} and p.status = 'published' and p.removed_at is null`,
    { brief: true },
  );
  if (!product) throw notFound('product');
  return product.images;
}
