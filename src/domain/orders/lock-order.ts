import { lockRow } from '#src/database/lock-row.ts';
import { hasChanged } from '#src/database/transact.ts';
import type { InTransaction } from '../context.ts';
import { Order } from './order.ts';

/**
 * The order, locked until the transaction ends: first of all that a transaction about an order locks. Whoever asks
 * again in the same transaction has it already, because orders are loaded nowhere else.
 */
export async function lockOrder(ctx: InTransaction, id: string): Promise<Order | undefined> {
  return ctx.tx.em.getUnitOfWork().getById(Order, [ctx.tenant.id, id]) ?? lockRow(ctx, Order, id);
}

/**
 * Write what changed of it now, so that statements that follow see it. A change raises the version, nothing does not.
 */
export async function saveOrder(ctx: InTransaction, order: Order): Promise<void> {
  if (!hasChanged(ctx, order)) return;
  order.updatedAt = ctx.clock.now();
  await ctx.tx.em.flush();
}
