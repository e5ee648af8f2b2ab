import * as adminAnalytics from './admin/analytics.ts';
import * as adminBulkChanges from './admin/bulk-changes.ts';
import * as adminCatalogue from './admin/catalogue.ts';
import * as adminContent from './admin/content.ts';
import * as adminExports from './admin/exports.ts';
import * as adminImports from './admin/imports.ts';
import * as adminIntegrations from './admin/integrations.ts';
import * as adminKeys from './admin/keys.ts';
import * as adminLabels from './admin/labels.ts';
import * as adminOrders from './admin/orders.ts';
import * as adminOverview from './admin/overview.ts';
import * as adminPeople from './admin/people.ts';
import * as adminPrivacy from './admin/privacy.ts';
import * as adminPromotions from './admin/promotions.ts';
import * as adminProviderConfirmations from './admin/provider-confirmations.ts';
import * as adminProviders from './admin/providers.ts';
import * as adminRecords from './admin/records.ts';
import * as adminReturns from './admin/returns.ts';
import * as adminReviews from './admin/reviews.ts';
import * as adminSecondFactor from './admin/second-factor.ts';
import * as adminSession from './admin/session.ts';
import * as adminSettings from './admin/settings.ts';
import * as adminStaff from './admin/staff.ts';
import * as adminSubscriptions from './admin/subscriptions.ts';
import * as adminSuppressions from './admin/suppressions.ts';
import * as adminWebhookDeliveries from './admin/webhook-deliveries.ts';
import * as adminWebhookSecret from './admin/webhook-secret.ts';
import * as adminWebhooks from './admin/webhooks.ts';
import * as analytics from './analytics/routes.ts';
import * as billingPortal from './billing-portal/routes.ts';
import * as cartPreviews from './cart/previews.ts';
import * as cart from './cart/routes.ts';
import * as savedCarts from './cart/saved-carts.ts';
import * as checkout from './checkout/routes.ts';
import * as content from './content/routes.ts';
import * as customer from './customer/routes.ts';
import * as customerPortal from './customer-portal/routes.ts';
import * as exportFiles from './exports/routes.ts';
import * as inboundShippo from './inbound/shippo.ts';
import * as inboundStripe from './inbound/stripe.ts';
import * as integrations from './integrations/routes.ts';
import * as inventory from './inventory/routes.ts';
import * as leads from './leads/routes.ts';
import type { Route } from './lib/define-route.ts';
import * as orders from './orders/routes.ts';
import * as partners from './partners/routes.ts';
import * as products from './products/routes.ts';
import * as returns from './returns/routes.ts';
import * as search from './search/routes.ts';
import * as shipping from './shipping/routes.ts';
import * as storefront from './storefront/routes.ts';
import * as subscriptions from './subscriptions/routes.ts';
import * as wholesale from './wholesale/routes.ts';

const admin = [
  adminAnalytics,
  adminCatalogue,
  adminBulkChanges,
  adminContent,
  adminExports,
  adminImports,
  adminIntegrations,
  adminKeys,
  adminLabels,
  adminOrders,
  adminOverview,
  adminPeople,
  adminPrivacy,
  adminPromotions,
  adminProviderConfirmations,
  adminProviders,
  adminRecords,
  adminReturns,
  adminReviews,
  adminSecondFactor,
  adminSession,
  adminSettings,
  adminStaff,
  adminSubscriptions,
  adminSuppressions,
  adminWebhookDeliveries,
  adminWebhookSecret,
  adminWebhooks,
];
const pages = [
  ...admin,
  analytics,
  billingPortal,
  cart,
  cartPreviews,
  savedCarts,
  checkout,
  content,
  customer,
  customerPortal,
  exportFiles,
  inboundShippo,
  inboundStripe,
  integrations,
  inventory,
  leads,
  orders,
  partners,
  products,
  returns,
  search,
  shipping,
  storefront,
  subscriptions,
  wholesale,
];

/**
 * Every route of the service. The first one that matches a URL serves it, so a fixed segment comes before a parameter:
 * `/orders/lookup` before `/orders/:orderId`.
 */
export const routes: readonly Route[] = pages
  .flatMap((page): Route[] => Object.values(page))
  .toSorted((left, right) => (rank(left) < rank(right) ? -1 : 1));

/** In ASCII, `~` comes after every letter. */
function rank({ path }: Route): string {
  return path.replaceAll(':', '~');
}
