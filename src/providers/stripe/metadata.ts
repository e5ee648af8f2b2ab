import type Stripe from 'stripe';

import type { SessionRequest } from '#src/domain/ports/payment-gateway.ts';
import type { OwnMetadata } from '#src/domain/ports/payment-snapshots.ts';

const names = {
  tenantId: 'platform_tenant_id',
  orderId: 'platform_order_id',
  environment: 'platform_environment',
} as const;

/** What stands on everything that is made for an order, so that it is recognized again. */
export const orderMetadata = ({ tenantId, orderId, environment }: SessionRequest): Stripe.MetadataParam => ({
  [names.tenantId]: tenantId,
  [names.orderId]: orderId,
  [names.environment]: environment,
});

export const metadataIn = (metadata: Stripe.Metadata | null): OwnMetadata => ({
  tenantId: metadata?.[names.tenantId] ?? null,
  orderId: metadata?.[names.orderId] ?? null,
  environment: metadata?.[names.environment] ?? null,
});

/** What stands on a customer: buys of any number of orders, of one store. */
export const customerMetadata = ({ tenantId }: { readonly tenantId: string }): Stripe.MetadataParam => ({
  [names.tenantId]: tenantId,
});

/**
 * The customer of an address that a store goes on with, of those that the provider lists, newest first: the oldest that
 * was made for the store, else the oldest that was made by no store, as by the owner in the dashboard.
 */
export function ownCustomer(
  listed: readonly Stripe.Customer[],
  { tenantId }: { readonly tenantId: string },
): Stripe.Customer | undefined {
  const oldestOf = (owner: string | undefined) => listed.findLast(({ metadata }) => metadata[names.tenantId] === owner);
  return oldestOf(tenantId) ?? oldestOf(undefined);
}
