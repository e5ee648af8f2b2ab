import { read, readOne } from '#src/database/transact.ts';
import { keyset, type Page, type PageRequest, type Position } from '#src/lib/cursor.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { type ProductRow, selectProducts } from './published-products.ts';
import type { StockLevel } from './stock-level.ts';

/** A product as the owner sees it, published or not. */
export interface ManagedProduct extends ProductRow {
  readonly status: 'draft' | 'published';
  readonly version: number;
  readonly createdAt: Date;
  readonly variants: readonly ManagedVariant[];
}

export interface ManagedVariant extends StockLevel {
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

/**
 * One page of the store's products, drafts included, newest first.
 * @throws DomainError `invalid_cursor`
 */
export async function listManagedProducts(
  ctx: Context,
  { status, cursor, limit = 20 }: PageRequest & { status?: ManagedProduct['status'] | undefined },
): Promise<Page<ManagedProduct>> {
  const list = keyset(ctx, 'managed products', { columns: ['p.id'], descending: true }, cursor);
  const ofStatus = status === undefined ? sql`` : sql` and p.status = ${status}`;
  const rows = await read<ManagedProduct & { position: Position }>(
    ctx,
    sql`
    ${selectProducts(ctx, sql`${managedColumns}, ${list.position} as position`)}${ofStatus} and ${list.after}
    order by ${list.by} limit ${limit + 1}`,
    { replica: true },
  );
  return list.page(rows, limit);
}

/** @returns the product, or `undefined` for an unknown slug */
export async function readManagedProduct(ctx: Context, slug: string): Promise<ManagedProduct | undefined> {
  return readOne<ManagedProduct>(ctx, sql`${selectProducts(ctx, managedColumns)} and p.slug = ${slug}`);
}

const managedColumns: Sql = sql`, p.status, p.version, p.created_at as "createdAt", (
  select coalesce(json_agg(json_build_object('id', v.id, 'sku', v.sku, 'name', v.name, 'options', v.options,
    'priceCents', v.price_cents, 'compareAtCents', v.compare_at_cents,
    'subscriptionPriceCents', v.subscription_price_cents, 'weightOz', v.weight_oz, 'ships', v.ships, 'stock', v.stock,
    'stockHeld', v.stock_held, 'lowStockAt', v.low_stock_at, 'backorder', v.backorder) order by v.position)
    filter (where v.removed_at is null), '[]')
  from variants v
  where v.tenant_id = p.tenant_id and v.product_id = p.id) as variants`;

/** The slug of every product of the store, published or not. */
export async function productSlugs(ctx: Context): Promise<string[]> {
  const rows = await read<{ slug: string }>(
    ctx,
    sql`
    select slug from products where tenant_id = ${ctx.tenant.id} and removed_at is null order by slug`,
  );
  return rows.map(({ slug }) => slug);
}
