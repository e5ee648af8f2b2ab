import { read } from '#src/database/transact.ts';
import { notFound } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** What decides whether a variant can be bought, and in which quantity. */
export interface StockLevel {
  /** On hand, including the held quantity; null is not tracked. */
  readonly stock: number | null;
  readonly stockHeld: number;
  readonly lowStockAt: number | null;
  readonly backorder: boolean;
}

export type StockStatus = 'in_stock' | 'low_stock' | 'out_of_stock' | 'backorder';

/** The status by the available quantity: what open checkouts hold counts as sold. */
export function stockStatus(level: StockLevel): StockStatus {
  const available = availableOf(level);
  if (available <= 0) return level.backorder ? 'backorder' : 'out_of_stock';
  return level.lowStockAt !== null && available <= level.lowStockAt ? 'low_stock' : 'in_stock';
}

/** The largest quantity of one cart line. */
export const quantityMax = 999;

/** The largest quantity that can be bought at once. */
export function buyableQuantity(level: StockLevel): number {
  return level.backorder ? quantityMax : Math.max(0, Math.min(availableOf(level), quantityMax));
}

const availableOf = ({ stock, stockHeld }: StockLevel) => (stock === null ? Infinity : stock - stockHeld);

/** The stock of one variant. */
export interface InventoryRow extends StockLevel {
  readonly variantId: string;
  readonly sku: string;
}

/**
 * The stock of each variant of a published product.
 * @throws DomainError not_found
 */
export async function readInventory(ctx: Context, slug: string): Promise<readonly InventoryRow[]> {
  const rows = await select(ctx, sql`p.slug = ${slug} order by v.position`);
  if (rows.length === 0) throw notFound('product');
  return rows;
}

/** The stock of these variants. Unknown ones and ones that are not for sale are left out. */
export async function readInventoryOf(ctx: Context, variantIds: readonly string[]): Promise<readonly InventoryRow[]> {
  return select(ctx, sql`v.id = any(${variantIds}::text[]) order by array_position(${variantIds}::text[], v.id)`);
}

/** Removed rows are excluded by a `case` for the reason given at `selectProducts`. */
async function select(ctx: Context, condition: Sql): Promise<readonly InventoryRow[]> {
  return read<InventoryRow>(
    ctx,
    sql`
    select v.id as "variantId", v.sku, v.stock, v.stock_held as "stockHeld", v.low_stock_at as "lowStockAt", v.backorder
    from variants v join products p on p.tenant_id = v.tenant_id and p.id = v.product_id
    where v.tenant_id = ${ctx.tenant.id} and p.tenant_id = ${ctx.tenant.id}
      and case when v.removed_at is null and p.removed_at is null then p.status = 'published' end and ${condition}`,
    { brief: true },
  );
}
