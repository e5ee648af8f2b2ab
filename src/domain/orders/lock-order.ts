import { lockRow } from '#src/database/lock-row.ts';
import { hasChanged } from '#src/database/transact.ts';
import type { InTransaction } from '../context.ts';
import { Order } from './order.ts';

/**
 * The order, locked until the transaction ends. A transaction about an order locks it before anything else. A second
 * call in the same transaction returns the loaded entity, because orders are loaded nowhere else.
 */
export async function lockOrder(ctx: InTransaction, id: string): Promise<Order | undefined> {
  return ctx.tx.em.getUnitOfWork().getById(Order, [ctx.tenant.id, id]) ?? lockRow(ctx, Order, id);
}

/**
 * Flush the changes of an order, so that later statements see them. Without changes its version stays.
 */
export async function saveOrder(ctx: InTransaction, order: Order): Promise<void> {
  if (!hasChanged(ctx, order)) return;
  order.updatedAt = ctx.clock.now();
  await ctx.tx.em.flush();
}
