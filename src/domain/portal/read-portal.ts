import { type Static, Type } from '#src/lib/schema.ts';
import type { Context } from '../context.ts';
import { CustomerView, presentCustomer } from '../customers/index.ts';
import { OrderView } from '../orders/index.ts';
import { ReturnView } from '../returns/index.ts';
import { SubscriptionView } from '../subscriptions/index.ts';
import { listOwnOrders, listOwnReturns, listOwnSubscriptions } from './list-own.ts';
import type { SignedInCustomer } from './signed-in-customer.ts';

/** What a customer sees first: the latest of everything. */
export const PortalView = Type.Object(
  {
    customer: CustomerView,
    orders: Type.Array(OrderView),
    subscriptions: Type.Array(SubscriptionView),
    returns: Type.Array(ReturnView),
  },
  { title: 'Portal' },
);

/** The latest orders, subscriptions and returns of a customer, each with one statement. */
export async function readPortal(ctx: Context, customer: SignedInCustomer): Promise<Static<typeof PortalView>> {
  const [orders, subscriptions, returns] = await Promise.all([
    listOwnOrders(ctx, customer, {}),
    listOwnSubscriptions(ctx, customer, {}),
    listOwnReturns(ctx, customer, {}),
  ]);
  return {
    customer: presentCustomer(customer),
    orders: [...orders.rows],
    subscriptions: [...subscriptions.rows],
    returns: [...returns.rows],
  };
}
