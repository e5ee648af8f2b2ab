import { indexesOf, type SearchedIndex, searchPage } from '#src/database/read-page.ts';
import { read, readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normalizeText } from '#src/lib/normalize-text.ts';
import { presentAs } from '#src/lib/present-as.ts';
import { Cents, Id, Nullable, type Static, Text, Timestamp, Type } from '#src/lib/schema.ts';
import { allOf, type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import type { StockMove } from './change-stock.ts';
import { ProductBody, presentProduct, VariantBody } from './present.ts';
import { Tag } from './product-input.ts';
import {
  type FindCandidates,
  type ProductRow,
  selectProducts,
  type VariantRow,
  variantsOfProduct,
  wordsOf,
} from './published-products.ts';
import { stockStatus } from './stock-level.ts';

/** A product as the owner sees it, published or not. */
export interface ManagedProduct extends ProductRow {
  readonly status: 'draft' | 'published';
  readonly version: number;
  readonly createdAt: Date;
  readonly variants: readonly VariantRow[];
}

/** Which products of the store: those of which all of this is true. */
export const ManagedProductFilter = Type.Object({
  status: Type.Optional(Type.Enum(['draft', 'published'])),
  tag: Type.Optional(Tag),
  category: Type.Optional(Text(100, { examples: ['kitchen'] })),
});
export type ManagedProductFilter = Static<typeof ManagedProductFilter>;

/** The condition that a product `p` matches the filter. */
export function matchesProduct({ tenant }: Context, { status, tag, category }: ManagedProductFilter): Sql {
  return allOf(
    status !== undefined && sql`p.status = ${status}`,
    category !== undefined && sql`p.category = ${category}`,
    tag !== undefined &&
      sql`exists (
        select from product_tags t
        where t.tenant_id = ${tenant.id} and t.product_id = p.id and t.tag = ${tag} offset 0)`,
  );
}

/**
 * One page of the store's products, drafts included, newest first.
 * @throws DomainError `invalid_cursor`
 */
export async function listManagedProducts(
  ctx: Context,
  { q, cursor, limit, ...filter }: PageRequest & ManagedProductFilter & { readonly q?: string | undefined },
  findCandidates: FindCandidates = async () => undefined,
): Promise<Page<ManagedProduct>> {
  const isWanted = matchesProduct(ctx, filter);
  const named = q && sql`${isNamed(ctx, q, await findCandidates(ctx, wordsOf(q)))} and ${isWanted}`;
  return searchPage<ManagedProduct>(
    ctx,
    {
      name: 'managed products',
      columns: ['p.id'],
      descending: true,
      table: sql`products p`,
      alias: sql`p`,
      // What is named is among few.
      filter: named ? {} : filter,
      indexes: named ? [{ where: named, has: [] }] : indexesFor(ctx, filter),
      isWanted,
    },
    { cursor, limit },
    (more, from) => selectProducts(ctx, sql`${managedColumns}${more}`, from),
    { replica: true },
  );
}

/** The indexes with all products that match, of each part of the filter that has one. */
function indexesFor({ tenant }: Context, { tag, ...filter }: ManagedProductFilter): SearchedIndex[] {
  const where = sql`p.removed_at is null`;
  const indexes = indexesOf(filter, { category: 'p.category', status: 'p.status' }).map((index) => ({
    ...index,
    where,
  }));
  if (tag === undefined) return indexes.length > 0 ? indexes : [{ where, has: [] }];
  // `offset 0` looks up the products of the page instead of sorting all.
  const table = sql`product_tags t cross join lateral (
    select * from products p where p.tenant_id = ${tenant.id} and p.id = t.product_id offset 0) as p`;
  const ofTag = { of: { column: 't.tag', value: tag }, columns: ['t.product_id'] };
  return [{ ...ofTag, table, where: sql`t.tenant_id = ${tenant.id} and ${where}`, has: ['tag'] }, ...indexes];
}

/** More products whose names begin alike are not looked at. */
const namesakesMax = 200;

/** The condition that a product is what was typed into a search field, or among those that have its words. */
function isNamed({ tenant }: Context, typed: string, candidates: readonly string[] = []): Sql {
  const name = normalizeText(typed);
  return sql`p.id = any(array(
    select unnest(${candidates}::text[])
    union all select id from products where tenant_id = ${tenant.id} and slug = ${typed.trim().toLowerCase()}
    union all select product_id from variants
      where tenant_id = ${tenant.id} and sku = any(${[typed.trim(), typed.trim().toUpperCase()]}) and removed_at is null
    union all (
      select id from products
      where tenant_id = ${tenant.id} and removed_at is null
        and sort_name >= ${name} and sort_name < ${`${name}\u{10ffff}`}
      order by sort_name limit ${namesakesMax})))`;
}

/** @returns the product, or `undefined` for an unknown slug */
export async function readManagedProduct(ctx: Context, slug: string): Promise<ManagedProduct | undefined> {
  return readOne<ManagedProduct>(ctx, sql`${selectProducts(ctx, managedColumns)} and p.slug = ${slug}`);
}

const managedColumns: Sql = sql`, p.status, p.version, p.created_at as "createdAt", ${variantsOfProduct} as variants`;

/** The slug of every product of the store, or of those among these, published or not. */
export async function productSlugs(ctx: Context, among?: readonly string[]): Promise<string[]> {
  const rows = await read<{ slug: string }>(
    ctx,
    sql`
    select slug from products
    where tenant_id = ${ctx.tenant.id} and removed_at is null and ${among ? sql`slug = any(${among})` : sql`true`}
    order by slug`,
  );
  return rows.map(({ slug }) => slug);
}

const Stock = Nullable(
  Type.Integer({
    examples: [100],
    description: 'Quantity on hand, including held stock; null is not tracked.',
  }),
);
const Held = Type.Integer({ examples: [2], description: 'Quantity that open checkouts hold.' });

const ManagedVariantView = Type.Object(
  {
    ...VariantBody.properties,
    compare_at_cents: Nullable(Cents),
    ships: Type.Boolean(),
    stock: Stock,
    stock_held: Held,
    low_stock_at: Nullable(Type.Integer({ examples: [5] })),
    backorder: Type.Boolean(),
  },
  { title: 'ManagedVariant' },
);

/** A product as the owner sees it. Sending it back unchanged changes nothing. */
export const ManagedProductView = Type.Object(
  {
    ...ProductBody.properties,
    status: Type.Enum(['draft', 'published']),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
    variants: Type.Array(ManagedVariantView),
  },
  { title: 'ManagedProduct' },
);

export function presentManagedProduct(product: ManagedProduct, currency: string): Static<typeof ManagedProductView> {
  return {
    ...presentProduct(product, currency),
    status: product.status,
    version: product.version,
    created_at: product.createdAt.toISOString(),
    variants: product.variants.map(presentManagedVariant),
  };
}

function presentManagedVariant(variant: VariantRow): Static<typeof ManagedVariantView> {
  return presentAs(ManagedVariantView, { ...variant, stockStatus: stockStatus(variant) });
}

/** The stock of a variant after a change. */
export const StockView = Type.Object(
  {
    variant_id: Id('var'),
    sku: Type.String({ examples: ['BOWL-S'] }),
    quantity: Stock,
    held: Held,
  },
  { title: 'Stock' },
);

export function presentStock({ variantId, sku, after, held }: StockMove): Static<typeof StockView> {
  return { variant_id: variantId, sku, quantity: after, held };
}
