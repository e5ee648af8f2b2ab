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
