import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { found, notFound } from '#src/lib/errors.ts';
import { BooleanLike, Id, Omittable, type Static, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import {
  CustomerView,
  findCustomer,
  KnownCustomerView,
  presentCustomer,
  presentKnownCustomer,
} from '../customers/index.ts';
import { listOrders, OrderView } from '../orders/index.ts';
import { manageSubscription } from '../payments/index.ts';
import { listReturns, presentReturn, ReturnView } from '../returns/index.ts';
import type { OpenSession } from '../sessions/index.ts';
import { listSubscriptions, readSubscription, SubscriptionView } from '../subscriptions/index.ts';

/** The customer portal's first page: the latest orders, subscriptions and returns. */
export const PortalView = Type.Object(
  {
    customer: CustomerView,
    orders: Type.Array(OrderView),
    subscriptions: Type.Array(SubscriptionView),
    returns: Type.Array(ReturnView),
  },
  { title: 'CustomerPortal' },
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

/** A customer's history for the store's owner: what the customer sees, and the store's own fields. */
export const CustomerHistoryView = Type.Object(
  { ...PortalView.properties, customer: KnownCustomerView },
  { title: 'CustomerHistory' },
);

/**
 * A customer with the latest orders, subscriptions and returns.
 * @throws DomainError `not_found`
 */
export async function readCustomerHistory(
  ctx: Context,
  { id }: { id: string },
): Promise<Static<typeof CustomerHistoryView>> {
  const customer = found(await findCustomer(ctx, id), 'customer');
  return { ...(await readPortal(ctx, customer)), customer: presentKnownCustomer(customer) };
}

/**
 * A customer's orders that are paid or whose payment is processing, the newest first. Others are left out, because
 * anyone can start a checkout with another person's email.
 */
export async function listOwnOrders(
  ctx: Context,
  { email }: SignedInCustomer,
  page: PageRequest,
): Promise<Page<OrderView>> {
  return listOrders(ctx, email, sql`(o.paid_at is not null or o.payment_status = 'processing')`, page);
}

/** A customer's subscriptions, the newest first. */
export async function listOwnSubscriptions(
  ctx: Context,
  { email }: SignedInCustomer,
  page: PageRequest,
): Promise<Page<SubscriptionView>> {
  return listSubscriptions(ctx, { ...page, email });
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

export const CancelInput = Type.Object({
  subscription_id: Id('sub'),
  at_period_end: Omittable(BooleanLike({ description: 'At the end of the paid period (the default), or at once.' })),
});
export type CancelInput = Static<typeof CancelInput>;

/**
 * Cancel one of the customer's subscriptions at the payment provider.
 * @throws DomainError `not_found`, also for another customer's; `subscription_canceled`; or an error of the provider
 */
export async function cancelOwnSubscription(
  ctx: Context,
  customer: SignedInCustomer,
  input: CancelInput,
): Promise<SubscriptionView> {
  const subscription = await readSubscription(ctx, input.subscription_id);
  if (subscription?.customer.email !== customer.email) throw notFound('subscription');
  return manageSubscription(ctx, subscription.id, { action: 'cancel', at_period_end: input.at_period_end ?? true });
}

/** The customer who is signed in. Orders, subscriptions and returns with the customer's email are theirs. */
export type SignedInCustomer = OpenSession['customer'];
