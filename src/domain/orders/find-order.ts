import { notFound } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { normaliseEmail } from '../customers/index.ts';
import type { OrderView } from './present.ts';
import { readOrder, readOrderByNumber } from './read-order.ts';

/**
 * The order with this id, for whoever may see it: the store's own server, or who knows the address that it went to.
 * An unknown order and a wrong address look the same.
 */
export async function findOrder(
  ctx: Context,
  { id, email }: { id: string; email: string | 'trusted' },
): Promise<OrderView> {
  const order = await readOrder(ctx, id);
  if (!order || (email !== 'trusted' && !isOf(order, email))) throw notFound('order');
  return order;
}

/** The order with this number, for who knows the address that it went to. */
export async function findOrderByNumber(
  ctx: Context,
  { orderNumber, email }: { orderNumber: string; email: string },
): Promise<OrderView> {
  const order = await readOrderByNumber(ctx, orderNumber);
  if (!order || !isOf(order, email)) throw notFound('order');
  return order;
}

const isOf = ({ customer }: OrderView, email: string) =>
  customer.email !== null && customer.email === normaliseEmail(email);
