import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { moveStock, type StockLine, type StockOrder } from './move-stock.ts';
import { releaseStock } from './release-stock.ts';

/**
 * What was held is sold. `false` when the owner has meanwhile counted fewer than were held: then nothing is sold, the
 * hold is gone all the same, and the order is oversold.
 */
export async function captureStock(
  ctx: InTransaction,
  lines: readonly StockLine[],
  order: StockOrder = {},
): Promise<boolean> {
  const short = await moveStock(ctx, lines, {
    ...order,
    stock: sql`v.stock - w.quantity`,
    held: sql`v.stock_held - w.quantity`,
    tooLittle: sql`v.stock < w.quantity`,
    reason: 'sold',
  });
  if (short.length > 0) await releaseStock(ctx, lines);
  return short.length === 0;
}
