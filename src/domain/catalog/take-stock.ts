import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { moveStock, type StockLine, type StockOrder } from './move-stock.ts';

/** Sell what was not held, all or nothing: for a payment that came after its hold was released. `false`: too little. */
export async function takeStock(
  ctx: InTransaction,
  lines: readonly StockLine[],
  order: StockOrder = {},
): Promise<boolean> {
  const short = await moveStock(ctx, lines, {
    ...order,
    stock: sql`v.stock - w.quantity`,
    tooLittle: sql`v.stock - v.stock_held < w.quantity`,
    reason: 'sold',
  });
  return short.length === 0;
}
