import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { moveStock, type StockLine, type StockOrder } from './move-stock.ts';

/** What was sold comes back: a refund or a cancellation of what was not shipped. */
export async function restock(ctx: InTransaction, lines: readonly StockLine[], order: StockOrder = {}): Promise<void> {
  await moveStock(ctx, lines, { ...order, stock: sql`v.stock + w.quantity`, reason: 'restocked' });
}
