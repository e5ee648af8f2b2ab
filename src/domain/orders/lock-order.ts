import { LockMode } from '@mikro-orm/core';

import type { InTransaction } from '../context.ts';
import { hasChanged } from '../database.ts';
import { Order } from './order.ts';

/** The order, locked until the transaction ends: first of all that a transaction about an order locks. */
export async function lockOrder(ctx: InTransaction, id: string): Promise<Order | undefined> {
  const order = await ctx.tx.em.findOne(
    Order,
    { tenantId: ctx.tenant.id, id },
    { lockMode: LockMode.PESSIMISTIC_WRITE },
  );
  return order ?? undefined;
}

/** Write what changed of it now, so that statements that follow see it. A change raises the version, nothing does not. */
export async function saveOrder(ctx: InTransaction, order: Order): Promise<void> {
  if (!hasChanged(ctx, order)) return;
  order.updatedAt = ctx.clock.now();
  await ctx.tx.em.flush();
}
