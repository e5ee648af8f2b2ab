import { read } from '#src/database/transact.ts';
import { notFound } from '#src/lib/errors.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** What decides whether a variant can be bought, and how many of it. */
export interface StockLevel {
  /** On hand, what is held included; null is not tracked. */
  readonly stock: number | null;
  readonly stockHeld: number;
  readonly lowStockAt: number | null;
  readonly backorder: boolean;
}

export type StockStatus = 'in_stock' | 'low_stock' | 'out_of_stock' | 'backorder';

/** What is held counts as gone. */
export function stockStatus(level: StockLevel): StockStatus {
  const available = availableOf(level);
  if (available <= 0) return level.backorder ? 'backorder' : 'out_of_stock';
  return level.lowStockAt !== null && available <= level.lowStockAt ? 'low_stock' : 'in_stock';
}

/** The most that one line of a cart may hold. */
export const quantityMax = 999;

/** How many can be bought at once. */
export function buyableQuantity(level: StockLevel): number {
  return level.backorder ? quantityMax : Math.max(0, Math.min(availableOf(level), quantityMax));
}

const availableOf = ({ stock, stockHeld }: StockLevel) => (stock === null ? Infinity : stock - stockHeld);

/** Whether a variant can be bought, and how many of it. */
export interface InventoryRow extends StockLevel {
  readonly variantId: string;
  readonly sku: string;
}

/** The stock of each variant of a published product. Throws not_found. */
export async function readInventory(ctx: Context, slug: string): Promise<readonly InventoryRow[]> {
  const rows = await select(ctx, sql`p.slug = ${slug} order by v.position`);
  if (rows.length === 0) throw notFound('product');
  return rows;
}

/** The stock of these variants. One that is unknown, or is not for sale, is left out. */
export async function readInventoryOf(ctx: Context, variantIds: readonly string[]): Promise<readonly InventoryRow[]> {
  return select(ctx, sql`v.id = any(${variantIds}::text[]) order by array_position(${variantIds}::text[], v.id)`);
}

/** What was removed is left out by a case: see `selectProducts`. */
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
