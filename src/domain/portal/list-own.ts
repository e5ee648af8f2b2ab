import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { listOrders, type OrderView } from '../orders/index.ts';
import { listReturns, presentReturn, type ReturnView } from '../returns/index.ts';
import { listSubscriptions, type SubscriptionView } from '../subscriptions/index.ts';
import type { SignedInCustomer } from './signed-in-customer.ts';

/**
 * A customer's orders, the newest first: those that are paid, or whose payment is on its way. Anybody can begin an order
 * with somebody else's address; it shows here once it is real.
 */
export async function listOwnOrders(
  ctx: Context,
  { email }: SignedInCustomer,
  page: PageRequest,
): Promise<Page<OrderView>> {
  return listOrders(ctx, sql`o.email = ${email} and (o.paid_at is not null or o.payment_status = 'processing')`, page);
}

/** A customer's subscriptions, the newest first. */
export async function listOwnSubscriptions(
  ctx: Context,
  { email }: SignedInCustomer,
  page: PageRequest,
): Promise<Page<SubscriptionView>> {
  return listSubscriptions(ctx, sql`s.email = ${email}`, page);
}

/** A customer's returns, the newest first. */
export async function listOwnReturns(
  ctx: Context,
  { email }: SignedInCustomer,
  page: PageRequest,
): Promise<Page<ReturnView>> {
  const { rows, cursor } = await listReturns(ctx, { email, ...page });
  return { rows: rows.map(presentReturn), cursor };
}
