import { found } from '#src/lib/errors.ts';
import { type Static, Type } from '#src/lib/schema.ts';
import type { Context } from '../context.ts';
import { findCustomer, KnownCustomerView, presentKnownCustomer } from '../customers/index.ts';
import { PortalView, readPortal } from './read-portal.ts';

/** What the store's owner sees of a customer: the same as the customer, and what the store noted. */
export const CustomerHistoryView = Type.Object(
  { ...PortalView.properties, customer: KnownCustomerView },
  { title: 'CustomerHistory' },
);

/** A customer with the latest orders, subscriptions and returns. Throws not_found. */
export async function readCustomerHistory(
  ctx: Context,
  { id }: { id: string },
): Promise<Static<typeof CustomerHistoryView>> {
  const customer = found(await findCustomer(ctx, id), 'customer');
  return { ...(await readPortal(ctx, customer)), customer: presentKnownCustomer(customer) };
}
