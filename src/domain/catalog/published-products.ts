import { read, readOne } from '#src/database/transact.ts';
import { composed } from '#src/lib/composed.ts';
import { type Keyset, keyset, type ListOrder, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { found, notFound } from '#src/lib/errors.ts';
import { normalizeText } from '#src/lib/normalize-text.ts';
import { lowerCase, type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { Image, PurchaseType, SubscriptionInterval } from './product-input.ts';
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

/** The tags of a product `p`, in the order of their input. */
export const tagsOfProduct: Sql = sql`array(
  select t.tag from product_tags t where t.tenant_id = p.tenant_id and t.product_id = p.id order by t.position)`;

/**
 * A query for the published products `p`, as rows for `presentProduct`. A condition on their ids or slug is appended.
 *
 * @param more additional columns, each preceded by a comma
 */
export function publishedProducts(ctx: Context, more: Sql = sql``): Sql {
  return sql`${selectProducts(ctx, more)} and case when p.status = 'published' then true end`;
}

/**
 * The same query including drafts, for the owner. What is removed is excluded by a `case` on purpose: with a plain
 * condition, a planner without statistics of a new store chooses an index of what is not removed and reads all of it
 * for each product. `offset 0` keeps it from reading the variants of all products, of every store, into a
 * hash table instead of looking up those of one.
 *
 * @param from what has the products `p`
 */
export function selectProducts(ctx: Context, more: Sql = sql``, from: Sql = sql`products p`): Sql {
  return sql`
    select p.id, p.slug, p.name, p.description, p.category, p.images, p.price_cents as "priceCents",
      p.compare_at_cents as "compareAtCents", p.purchase_types as "purchaseTypes",
      p.subscription_intervals as "subscriptionIntervals", p.rating_count as "ratingCount",
      p.rating_average::float8 as "ratingAverage", p.updated_at as "updatedAt",
      ${tagsOfProduct} as tags,
      exists (select from variants v
              where v.tenant_id = p.tenant_id and v.product_id = p.id and case when v.removed_at is null
                then v.stock is null or v.backorder or v.stock > v.stock_held end offset 0) as "inStock"${more}
    from ${from}
    where p.tenant_id = ${ctx.tenant.id} and case when p.removed_at is null then true end`;
}

const orders = {
  newest: { columns: ['d.id'], descending: true },
  price_asc: { columns: ['d.price_cents', 'd.id'] },
  price_desc: { columns: ['d.price_cents', 'd.id'], descending: true },
  name: { columns: ['d.sort_name', 'd.id'] },
} as const satisfies Record<string, ListOrder>;

export type ProductSort = keyof typeof orders;

export interface ProductFilter extends PageRequest {
  /** Words that the name, the description or a SKU must all contain. */
  readonly q?: string | undefined;
  readonly category?: string | undefined;
  readonly tag?: string | undefined;
  readonly sort?: ProductSort | undefined;
}

/**
 * The ids of all products that may contain the words, drafts too; `undefined` when there are too many to sort them.
 */
export type FindCandidates = (ctx: Context, words: readonly TypedWord[]) => Promise<readonly string[] | undefined>;

/** How many products one page is looked for among, where no index has those that meet the filter. */
const readMax = 500;

/**
 * One page of the published products. Ids are ordered by time, so sorting by id puts the newest first.
 *
 * A page costs about what it shows, however many products there are. Words, and a category together with a tag, are
 * looked for in the products of the list one after the other, which finds a frequent word soon. What is rare is then
 * looked for in `findCandidates`; what is neither makes a page that is shorter than its limit, with a cursor.
 */
export async function listProducts(
  ctx: Context,
  filter: ProductFilter,
  findCandidates: FindCandidates = async () => undefined,
): Promise<Page<ProductRow>> {
  const { sort = 'newest', limit = 20 } = filter;
  const words = wordsOf(filter.q);
  const list = keyset(ctx, `products ${sort}`, orders[sort], filter.cursor);
  const isChosen = words.length > 0 || (filter.tag !== undefined && filter.category !== undefined);
  const count = isChosen ? readMax : limit + 1;
  const { rows, end } = await readMatching(ctx, list, { from: listed(ctx, filter), filter, words, count, limit });
  const candidates = end && words.length > 0 ? await findCandidates(ctx, words) : undefined;
  if (!candidates) return list.page(rows, limit, end);
  const from = sql`select p.id, p.price_cents, p.sort_name
    from unnest(${candidates}::text[]) as c(id) cross join lateral (
      select * from products p where p.tenant_id = ${ctx.tenant.id} and p.id = c.id offset 0) as p`;
  const found = await readMatching(ctx, list, { from, filter, words, count: candidates.length + 1, limit });
  return list.page(found.rows, limit);
}

type ListedRow = ProductRow & { readonly position: Position };

interface PageSource {
  /** The products to read, with what they are sorted by. */
  readonly from: Sql;
  readonly filter: ProductFilter;
  readonly words: readonly TypedWord[];
  /** How many of them are read. */
  readonly count: number;
  readonly limit: number;
}

/**
 * Of the first `count` products after the cursor, those that meet the filter, at most one more than the page holds.
 * Their number tells whether all were read: then `end` is the position of the last one.
 */
async function readMatching(
  ctx: Context,
  list: Keyset,
  { from, filter, words, count, limit }: PageSource,
): Promise<{ rows: ListedRow[]; end: Position | undefined }> {
  const found = await read<ListedRow & { readonly id: string | null; readonly number: number }>(
    ctx,
    sql`
    select p.*, d.position, d.number
    from (
      select d.*, ${list.position} as position, row_number() over (order by ${list.by}) as number
      from (${from}) as d where ${list.after} order by ${list.by} limit ${count}) as d
    left join lateral (
      ${publishedProducts(ctx)} and p.id = d.id${conditions(filter, words)} offset 0) as p on true
    where p.id is not null or d.number = ${count}
    order by ${list.by} limit ${limit + 1}`,
    count <= limit + 1 ? { brief: true } : { expensive: true },
  );
  const rows = found.filter(({ id }) => id !== null);
  const last = found.at(-1);
  const hasMore = rows.length <= limit && last?.number === count;
  return { rows, end: hasMore ? last.position : undefined };
}

/** The products of a list with what they are sorted by, each order read from an index. */
function listed(ctx: Context, { category, tag }: ProductFilter): Sql {
  if (tag !== undefined)
    return sql`select product_id as id, price_cents, sort_name from product_tags
      where tenant_id = ${ctx.tenant.id} and tag = ${tag} and listed`;
  const inCategory = category === undefined ? sql`` : sql` and category = ${category}`;
  return sql`select id, price_cents, sort_name from products
    where tenant_id = ${ctx.tenant.id} and status = 'published' and removed_at is null${inCategory}`;
}

const wordsMax = 8;

/** A word that is looked for: in names without accents, in descriptions and SKUs also as it was typed. */
export interface TypedWord {
  readonly plain: string;
  readonly written: string;
}

/** The words of a query that are looked for. */
export const wordsOf = (q = ''): TypedWord[] =>
  composed(q)
    .toLowerCase()
    .split(/\s+/)
    .map((written) => ({ plain: normalizeText(written).trim(), written }))
    .filter(({ plain }) => plain !== '')
    .slice(0, wordsMax);

function conditions({ category, tag }: ProductFilter, words: readonly TypedWord[]): Sql {
  const inCategory = category === undefined ? sql`` : sql` and p.category = ${category}`;
  const tagged =
    tag === undefined
      ? sql``
      : sql`
      and exists (
        select from product_tags t
        where t.tenant_id = p.tenant_id and t.product_id = p.id and t.tag = ${tag} offset 0)`;
  const named =
    words.length === 0
      ? sql``
      : sql`
      and not exists (
        select from unnest(${words.map(({ plain }) => plain)}::text[], ${words.map(({ written }) => written)}::text[])
          as word(plain, written)
        where strpos(p.sort_name, plain) = 0 and strpos(${lowerCase(sql`p.description`)}, plain) = 0
          and strpos(${lowerCase(sql`p.description`)}, written) = 0
          and not exists (select from variants v where v.tenant_id = p.tenant_id and v.product_id = p.id
                            and case when v.removed_at is null then ${lowerCase(sql`v.sku`)} in (plain, written) end
                          offset 0))`;
  return sql`${inCategory}${tagged}${named}`;
}

export interface VariantRow extends StockLevel {
  readonly id: string;
  readonly sku: string;
  readonly name: string;
  readonly options: Readonly<Record<string, string>>;
  readonly priceCents: number;
  readonly compareAtCents: number | null;
  readonly subscriptionPriceCents: number | null;
  readonly weightOz: number | null;
  readonly ships: boolean;
}

/** The variants of a product `p` as JSON: each a `VariantRow`. */
export const variantsOfProduct: Sql = sql`(
  select coalesce(json_agg(json_build_object('id', v.id, 'sku', v.sku, 'name', v.name, 'options', v.options,
    'priceCents', v.price_cents, 'compareAtCents', v.compare_at_cents,
    'subscriptionPriceCents', v.subscription_price_cents, 'weightOz', v.weight_oz, 'ships', v.ships, 'stock', v.stock,
    'stockHeld', v.stock_held, 'lowStockAt', v.low_stock_at, 'backorder', v.backorder) order by v.position)
    filter (where v.removed_at is null), '[]')
  from variants v
  where v.tenant_id = p.tenant_id and v.product_id = p.id)`;

/**
 * A published product with its variants.
 * @throws DomainError not_found
 */
export async function findProduct(
  ctx: Context,
  slug: string,
): Promise<ProductRow & { variants: readonly VariantRow[] }> {
  const named = sql`${publishedProducts(ctx, sql`, ${variantsOfProduct} as variants`)} and p.slug = ${slug}`;
  return found(await readOne<ProductRow & { variants: VariantRow[] }>(ctx, named, { brief: true }), 'product');
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
    where p.tenant_id = ${ctx.tenant.id} and p.slug = ${slug}
      and case when p.removed_at is null then p.status = 'published' end`,
    { brief: true },
  );
  if (!product) throw notFound('product');
  return product.images;
}
