import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { moveStock, type StockLine } from './move-stock.ts';

/** Give back what was held. Whoever keeps the hold sees to it that this happens once. */
export async function releaseStock(ctx: InTransaction, lines: readonly StockLine[]): Promise<void> {
  await moveStock(ctx, lines, { held: sql`v.stock_held - w.quantity` });
}
