import type Stripe from 'stripe';

import type { SessionRequest } from '#src/domain/ports/payment-gateway.ts';
import type { OwnMetadata } from '#src/domain/ports/payment-snapshots.ts';

const names = {
  tenantId: 'platform_tenant_id',
  orderId: 'platform_order_id',
  environment: 'platform_environment',
} as const;

/** The metadata of everything that is created for an order, by which it is recognized. */
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

/** The metadata of a customer, who belongs to a store and not to one order. */
export const customerMetadata = ({ tenantId }: { readonly tenantId: string }): Stripe.MetadataParam => ({
  [names.tenantId]: tenantId,
});

/**
 * The customers that a store may use, of those that the provider lists for an email, newest first: the oldest that was
 * created for the store, else those that were created for no store, such as by the owner in the dashboard, or by the
 * provider for a guest who subscribed. The first subscription of a customer decides the currency of all others.
 */
export function usableCustomers(
  listed: readonly Stripe.Customer[],
  { tenantId, currency }: { readonly tenantId: string; readonly currency: string },
): { own: Stripe.Customer | undefined; unowned: Stripe.Customer[] } {
  const usable = listed.filter(({ currency: decided }) => !decided || decided === currency.toLowerCase()).toReversed();
  const of = (owner: string | undefined) => usable.filter(({ metadata }) => metadata[names.tenantId] === owner);
  return { own: of(tenantId)[0], unowned: of(undefined) };
}
