import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { moveStock, type StockLine } from './move-stock.ts';

/**
 * Keep stock for an order that is not paid yet: nobody else can buy it until it is released or captured.
 * @throws DomainError conflict `insufficient_stock`, with `items` naming each variant and what is left of it
 */
export async function holdStock(ctx: InTransaction, lines: readonly StockLine[]): Promise<void> {
  const items = await moveStock(ctx, lines, {
    held: sql`v.stock_held + w.quantity`,
    tooLittle: sql`v.stock - v.stock_held < w.quantity`,
  });
  if (items.length > 0) {
    throw new DomainError('conflict', 'insufficient_stock', 'There is not enough in stock.', { extensions: { items } });
  }
}
