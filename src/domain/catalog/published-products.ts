import { read, readOne } from '#src/database/transact.ts';
import { keyset, type ListOrder, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { notFound } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { type Image, normalizeText, type PurchaseType, type SubscriptionInterval } from './product-input.ts';
import type { StockLevel } from './stock-level.ts';

/** A product as shoppers see it. */
export interface ProductRow {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  readonly description: string;
  readonly category: string | null;
  readonly tags: readonly string[];
  readonly images: readonly Image[];
  readonly priceCents: number;
  readonly compareAtCents: number | null;
  readonly purchaseTypes: readonly PurchaseType[];
  readonly subscriptionIntervals: readonly SubscriptionInterval[];
  readonly ratingCount: number;
  readonly ratingAverage: number;
  readonly inStock: boolean;
  /** Text where the row was read as JSON. */
  readonly updatedAt: Date | string;
}

/**
 * A query for the published products `p`, as rows for `presentProduct`. Conditions, order and limit may be appended.
 *
 * @param more additional columns, each preceded by a comma
 */
export function publishedProducts(ctx: Context, more: Sql = sql``): Sql {
  return sql`${selectProducts(ctx, more)} and p.status = 'published'`;
}

/**
 * The same query including drafts, for the owner. Removed variants are excluded by a `case` on purpose: with a plain
 * condition, a planner without statistics of a new store chooses the index of variants that are not removed and reads
 * all of it for each product.
 */
export function selectProducts(ctx: Context, more: Sql = sql``): Sql {
  return sql`
    select p.id, p.slug, p.name, p.description, p.category, p.images, p.price_cents as "priceCents",
      p.compare_at_cents as "compareAtCents", p.purchase_types as "purchaseTypes",
      p.subscription_intervals as "subscriptionIntervals", p.rating_count as "ratingCount",
      p.rating_average::float8 as "ratingAverage", p.updated_at as "updatedAt",
      array(select t.tag from product_tags t
            where t.tenant_id = p.tenant_id and t.product_id = p.id order by t.position) as tags,
      exists (select from variants v
              where v.tenant_id = p.tenant_id and v.product_id = p.id and case when v.removed_at is null
                then v.stock is null or v.backorder or v.stock > v.stock_held end) as "inStock"${more}
    from products p
    where p.tenant_id = ${ctx.tenant.id} and p.removed_at is null`;
}

const orders = {
  newest: { columns: ['p.id'], descending: true },
  price_asc: { columns: ['p.price_cents', 'p.id'] },
  price_desc: { columns: ['p.price_cents', 'p.id'], descending: true },
  name: { columns: ['p.sort_name', 'p.id'] },
} as const satisfies Record<string, ListOrder>;

export type ProductSort = keyof typeof orders;

export interface ProductFilter extends PageRequest {
  /** Words that the name, the description or a SKU must all contain. */
  readonly q?: string | undefined;
  readonly category?: string | undefined;
  readonly tag?: string | undefined;
  readonly sort?: ProductSort | undefined;
}

/** One page of the published products. Ids are ordered by time, so sorting by id puts the newest first. */
export async function listProducts(ctx: Context, filter: ProductFilter): Promise<Page<ProductRow>> {
  const { sort = 'newest', limit = 20 } = filter;
  const list = keyset(ctx, `products ${sort}`, orders[sort], filter.cursor);
  const rows = await read<ProductRow & { position: Position }>(
    ctx,
    sql`
    ${publishedProducts(ctx, sql`, ${list.position} as position`)}
      and ${list.after}${conditions(filter)}
    order by ${list.by} limit ${limit + 1}`,
    { brief: filter.q === undefined },
  );
  return list.page(rows, limit);
}

function conditions({ q, category, tag }: ProductFilter): Sql {
  const words = q ? normalizeText(q).split(/\s+/).filter(Boolean).slice(0, wordsMax) : [];
  const inCategory = category === undefined ? sql`` : sql` and p.category = ${category}`;
  const tagged =
    tag === undefined
      ? sql``
      : sql`
      and exists (
        select from product_tags t where t.tenant_id = p.tenant_id and t.product_id = p.id and t.tag = ${tag})`;
  const named =
    words.length === 0
      ? sql``
      : sql`
      and not exists (
        select from unnest(${words}::text[]) as word
        where strpos(p.sort_name, word) = 0 and strpos(lower(p.description), word) = 0
          and not exists (select from variants v where v.tenant_id = p.tenant_id and v.product_id = p.id
                            and case when v.removed_at is null then lower(v.sku) = word end))`;
  return sql`${inCategory}${tagged}${named}`;
}

const wordsMax = 8;

export interface VariantRow extends StockLevel {
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
  readonly priceCents: number;
  readonly subscriptionPriceCents: number | null;
  readonly weightOz: number | null;
}

/**
 * A published product with its variants.
 * @throws DomainError not_found
 */
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

/**
 * The images of a published product.
 * @throws DomainError not_found
 */
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
