// Generated from the API document by `npm run client:types`. Do not edit.

import type { Body, IdempotentOptions, List, OperationTable, Path, Query, RequestOptions, Result } from '../operation.ts';

export interface AdminOperations {
  /** Read the events, sessions, orders and revenue of each day. */
  getDailyAnalytics(query?: Query<'admin.getDailyAnalytics'>, options?: RequestOptions): Promise<Result<'admin.getDailyAnalytics'>>;
  /** Read the funnel: sessions that reached each step, from viewing a product to a paid order. */
  getFunnel(query?: Query<'admin.getFunnel'>, options?: RequestOptions): Promise<Result<'admin.getFunnel'>>;
  /** List the audit log, newest first, optionally of one subject. */
  listAuditLog(query?: Query<'admin.listAuditLog'>, options?: RequestOptions): List<'admin.listAuditLog', 'entries'>;
  /** List content entries including drafts, newest first. */
  listEntries(query?: Query<'admin.listEntries'>, options?: RequestOptions): List<'admin.listEntries', 'entries'>;
  /** Create a content entry. */
  createEntry(body: Body<'admin.createEntry'>, options?: RequestOptions): Promise<Result<'admin.createEntry'>>;
  /** Remove a content entry. */
  deleteEntry(type: string, slug: string, options?: RequestOptions): Promise<Result<'admin.deleteEntry'>>;
  /** Read a content entry, published or not. */
  getEntry(type: string, slug: string, options?: RequestOptions): Promise<Result<'admin.getEntry'>>;
  /** Replace a content entry. */
  replaceEntry(type: string, slug: string, body: Body<'admin.replaceEntry'>, options?: RequestOptions): Promise<Result<'admin.replaceEntry'>>;
  /** List customers, newest first. */
  listCustomers(query?: Query<'admin.listCustomers'>, options?: RequestOptions): List<'admin.listCustomers', 'customers'>;
  /** Read a customer with their latest orders, subscriptions and returns. */
  getCustomer(id: string, options?: RequestOptions): Promise<Result<'admin.getCustomer'>>;
  /** List gift cards, newest first. Codes are not stored and cannot be shown. */
  listGiftCards(query?: Query<'admin.listGiftCards'>, options?: RequestOptions): List<'admin.listGiftCards', 'gift_cards'>;
  /** Create a gift card. Its code is only returned here. */
  createGiftCard(body: Body<'admin.createGiftCard'>, options?: IdempotentOptions): Promise<Result<'admin.createGiftCard'>>;
  /** Disable a gift card. Open checkouts keep the amount that they hold. */
  disableGiftCard(id: string, options?: IdempotentOptions): Promise<Result<'admin.disableGiftCard'>>;
  /** List connections to third parties, newest first. */
  listIntegrations(query?: Query<'admin.listIntegrations'>, options?: RequestOptions): List<'admin.listIntegrations', 'integrations'>;
  /** Start connecting the store to a third party. Returns the consent URL to open and the webhook credentials. */
  createIntegration(body: Body<'admin.createIntegration'>, options?: IdempotentOptions): Promise<Result<'admin.createIntegration'>>;
  /** Read the status of a connection, without the data received. */
  getIntegration(id: string, options?: RequestOptions): Promise<Result<'admin.getIntegration'>>;
  /** Reveal the data received from the third party, such as an authorization code. Null until it arrives. */
  revealIntegration(id: string, options?: RequestOptions): Promise<Result<'admin.revealIntegration'>>;
  /** List the API keys of the store, including revoked ones, oldest first. */
  listKeys(query?: Query<'admin.listKeys'>, options?: RequestOptions): List<'admin.listKeys', 'keys'>;
  /** Create an API key. Its value is only returned here. */
  createKey(body: Body<'admin.createKey'>, options?: IdempotentOptions): Promise<Result<'admin.createKey'>>;
  /** Revoke an API key. Takes effect everywhere within five seconds. */
  revokeKey(id: string, options?: RequestOptions): Promise<Result<'admin.revokeKey'>>;
  /** List labels, newest first. `?state=needs_attention` lists those that need attention. */
  listLabels(query?: Query<'admin.listLabels'>, options?: RequestOptions): List<'admin.listLabels', 'labels'>;
  /** Retry a label with a fresh quote. A purchase whose outcome is unknown is looked up first. */
  retryLabel(id: string, options?: IdempotentOptions): Promise<Result<'admin.retryLabel'>>;
  /** Void a label and refund its price. The order then has no label. */
  voidLabel(id: string, options?: IdempotentOptions): Promise<Result<'admin.voidLabel'>>;
  /** List leads, newest first. */
  listLeads(query?: Query<'admin.listLeads'>, options?: RequestOptions): List<'admin.listLeads', 'leads'>;
  /** Read which modules are enabled for the store. */
  listModules(options?: RequestOptions): Promise<Result<'admin.listModules'>>;
  /** List orders, newest first. `?needs_attention=true` lists those that need attention. */
  listOrders(query?: Query<'admin.listOrders'>, options?: RequestOptions): List<'admin.listOrders', 'orders'>;
  /** Read an order with its label, refunds, timeline, and what to do if it needs attention. */
  getOrder(id: string, options?: RequestOptions): Promise<Result<'admin.getOrder'>>;
  /** Dismiss a flag of an order. Its code is required, so that a newer one is not dismissed. */
  dismissOrderAttention(id: string, body: Body<'admin.dismissOrderAttention'>, options?: RequestOptions): Promise<Result<'admin.dismissOrderAttention'>>;
  /** Buy a label at a rate, also to other countries and above the cost cap; without a rate, at the cheapest. */
  buyLabel(id: string, body?: Body<'admin.buyLabel'>, options?: IdempotentOptions): Promise<Result<'admin.buyLabel'>>;
  /** Quote the rates of an order, also to other countries, the cheapest first. */
  quoteOrderRates(id: string, options?: RequestOptions): Promise<Result<'admin.quoteOrderRates'>>;
  /** Refund an order. A worker issues the refund; the part that was paid with a gift card is returned last. */
  refundOrder(id: string, body?: Body<'admin.refundOrder'>, options?: IdempotentOptions): Promise<Result<'admin.refundOrder'>>;
  /** Mark an order as shipped by hand. No label is bought, and the shopper is notified. */
  shipOrder(id: string, body: Body<'admin.shipOrder'>, options?: IdempotentOptions): Promise<Result<'admin.shipOrder'>>;
  /** Correct the shipping address of an order. This does not retry its label. */
  replaceShippingAddress(id: string, body: Body<'admin.replaceShippingAddress'>, options?: RequestOptions): Promise<Result<'admin.replaceShippingAddress'>>;
  /** List partner applications, newest first. */
  listPartnerApplications(query?: Query<'admin.listPartnerApplications'>, options?: RequestOptions): List<'admin.listPartnerApplications', 'applications'>;
  /** List partners with their sales, newest first. */
  listPartners(query?: Query<'admin.listPartners'>, options?: RequestOptions): List<'admin.listPartners', 'partners'>;
  /** Create a partner, or update the one with this code. Omitted fields are set to their defaults. */
  savePartner(body: Body<'admin.savePartner'>, options?: RequestOptions): Promise<Result<'admin.savePartner'>>;
  /** Start rotating the payment provider's webhook secret. A one-time code is emailed to the owner. */
  startSecretRotation(options?: IdempotentOptions): Promise<Result<'admin.startSecretRotation'>>;
  /** Confirm the rotation and read the new secret. It can be read again for ten minutes. */
  confirmSecretRotation(id: string, body: Body<'admin.confirmSecretRotation'>, options?: RequestOptions): Promise<Result<'admin.confirmSecretRotation'>>;
  /** List products including drafts, newest first. */
  listProducts(query?: Query<'admin.listProducts'>, options?: RequestOptions): List<'admin.listProducts', 'products'>;
  /** Create a product with its variants. */
  createProduct(body: Body<'admin.createProduct'>, options?: RequestOptions): Promise<Result<'admin.createProduct'>>;
  /** Remove a product. */
  deleteProduct(slug: string, options?: RequestOptions): Promise<Result<'admin.deleteProduct'>>;
  /** Read a product, published or not. */
  getProduct(slug: string, options?: RequestOptions): Promise<Result<'admin.getProduct'>>;
  /** Replace a product. Variants that are left out are removed. Stock is set only for new variants. */
  replaceProduct(slug: string, body: Body<'admin.replaceProduct'>, options?: RequestOptions): Promise<Result<'admin.replaceProduct'>>;
  /** List promo codes with their usage, newest first. */
  listPromoCodes(query?: Query<'admin.listPromoCodes'>, options?: RequestOptions): List<'admin.listPromoCodes', 'promo_codes'>;
  /** Create a promo code. */
  createPromoCode(body: Body<'admin.createPromoCode'>, options?: RequestOptions): Promise<Result<'admin.createPromoCode'>>;
  /** Remove a promo code. Open checkouts that use it keep their discount. */
  deletePromoCode(code: string, options?: RequestOptions): Promise<Result<'admin.deletePromoCode'>>;
  /** Replace a promo code. Its usage stays counted. */
  replacePromoCode(code: string, body: Body<'admin.replacePromoCode'>, options?: RequestOptions): Promise<Result<'admin.replacePromoCode'>>;
  /** Read the store's accounts at its providers, without their secrets. */
  getProviders(options?: RequestOptions): Promise<Result<'admin.getProviders'>>;
  /** Save the account at the payment provider. Secrets that are left out stay; null removes the key. */
  savePaymentProvider(body: Body<'admin.savePaymentProvider'>, options?: RequestOptions): Promise<Result<'admin.savePaymentProvider'>>;
  /** Email the owner the one-time password for replacing stored credentials. The body is that of the PUT. */
  requestPaymentConfirmation(body: Body<'admin.requestPaymentConfirmation'>, options?: IdempotentOptions): Promise<Result<'admin.requestPaymentConfirmation'>>;
  /** Save the account at the second parcel provider. It is stored and checked, and not used for labels. */
  saveSecondShippingProvider(body: Body<'admin.saveSecondShippingProvider'>, options?: RequestOptions): Promise<Result<'admin.saveSecondShippingProvider'>>;
  /** Email the owner the one-time password for replacing stored credentials. The body is that of the PUT. */
  requestSecondShippingConfirmation(body: Body<'admin.requestSecondShippingConfirmation'>, options?: IdempotentOptions): Promise<Result<'admin.requestSecondShippingConfirmation'>>;
  /** Save the account at the parcel provider and the shipping terms. Secrets that are left out stay. */
  saveShippingProvider(body: Body<'admin.saveShippingProvider'>, options?: RequestOptions): Promise<Result<'admin.saveShippingProvider'>>;
  /** Email the owner the one-time password for replacing stored credentials. The body is that of the PUT. */
  requestShippingConfirmation(body: Body<'admin.requestShippingConfirmation'>, options?: IdempotentOptions): Promise<Result<'admin.requestShippingConfirmation'>>;
  /** Check whether the stored key opens the account at a provider. */
  checkProvider(kind: Path<'admin.checkProvider'>['kind'], options?: RequestOptions): Promise<Result<'admin.checkProvider'>>;
  /** List the decisions about reminders of saved carts with their reasons, newest first. */
  listReminders(query?: Query<'admin.listReminders'>, options?: RequestOptions): List<'admin.listReminders', 'reminders'>;
  /** List returns, newest first. `?status=requested` lists those to decide. */
  listReturns(query?: Query<'admin.listReturns'>, options?: RequestOptions): List<'admin.listReturns', 'returns'>;
  /** Approve a return. */
  approveReturn(id: string, body?: Body<'admin.approveReturn'>, options?: RequestOptions): Promise<Result<'admin.approveReturn'>>;
  /** Close a return that was refunded or replaced, or whose goods never arrived. */
  closeReturn(id: string, body?: Body<'admin.closeReturn'>, options?: RequestOptions): Promise<Result<'admin.closeReturn'>>;
  /** Record that the goods of a return were received. Their stock is not changed. */
  receiveReturn(id: string, body?: Body<'admin.receiveReturn'>, options?: RequestOptions): Promise<Result<'admin.receiveReturn'>>;
  /** Refund a return: what was paid for the goods, or an amount. A worker issues the refund. */
  refundReturn(id: string, body?: Body<'admin.refundReturn'>, options?: IdempotentOptions): Promise<Result<'admin.refundReturn'>>;
  /** Reject a return. Its items can be requested in another return. */
  rejectReturn(id: string, body?: Body<'admin.rejectReturn'>, options?: RequestOptions): Promise<Result<'admin.rejectReturn'>>;
  /** List reviews, newest first. `?status=pending` lists those to moderate. */
  listReviews(query?: Query<'admin.listReviews'>, options?: RequestOptions): List<'admin.listReviews', 'reviews'>;
  /** Approve a review. */
  approveReview(id: string, options?: RequestOptions): Promise<Result<'admin.approveReview'>>;
  /** Reject a review. */
  rejectReview(id: string, options?: RequestOptions): Promise<Result<'admin.rejectReview'>>;
  /** Set or adjust the stock of variants, all or nothing. */
  changeStock(body: Body<'admin.changeStock'>, options?: IdempotentOptions): Promise<Result<'admin.changeStock'>>;
  /** List the subscriptions of the store, newest first. */
  listSubscriptions(query?: Query<'admin.listSubscriptions'>, options?: RequestOptions): List<'admin.listSubscriptions', 'subscriptions'>;
  /** Read a subscription. */
  getSubscription(id: string, options?: RequestOptions): Promise<Result<'admin.getSubscription'>>;
  /** List suppressed email addresses: they bounced and get no more email. */
  listSuppressions(query?: Query<'admin.listSuppressions'>, options?: RequestOptions): List<'admin.listSuppressions', 'suppressions'>;
  /** Remove an email address from the suppression list. */
  releaseSuppression(body: Body<'admin.releaseSuppression'>, options?: RequestOptions): Promise<Result<'admin.releaseSuppression'>>;
  /** Read a delivery with its attempts and their responses. */
  getWebhookDelivery(id: string, options?: RequestOptions): Promise<Result<'admin.getWebhookDelivery'>>;
  /** Redeliver a webhook now, starting the retry schedule over. */
  redeliverWebhook(id: string, options?: IdempotentOptions): Promise<Result<'admin.redeliverWebhook'>>;
  /** List webhook endpoints, newest first. */
  listWebhookEndpoints(query?: Query<'admin.listWebhookEndpoints'>, options?: RequestOptions): List<'admin.listWebhookEndpoints', 'webhook_endpoints'>;
  /** Create a webhook endpoint. Its signing secret is returned only here. */
  createWebhookEndpoint(body: Body<'admin.createWebhookEndpoint'>, options?: IdempotentOptions): Promise<Result<'admin.createWebhookEndpoint'>>;
  /** Delete a webhook endpoint and its deliveries. */
  deleteWebhookEndpoint(id: string, options?: RequestOptions): Promise<Result<'admin.deleteWebhookEndpoint'>>;
  /** Read a webhook endpoint. */
  getWebhookEndpoint(id: string, options?: RequestOptions): Promise<Result<'admin.getWebhookEndpoint'>>;
  /** Update a webhook endpoint. Omitted fields stay as they are. */
  updateWebhookEndpoint(id: string, body?: Body<'admin.updateWebhookEndpoint'>, options?: RequestOptions): Promise<Result<'admin.updateWebhookEndpoint'>>;
  /** List the deliveries of a webhook endpoint, newest first. */
  listWebhookDeliveries(id: string, query?: Query<'admin.listWebhookDeliveries'>, options?: RequestOptions): List<'admin.listWebhookDeliveries', 'deliveries'>;
  /** Disable a webhook endpoint. Its pending deliveries are discarded and can be recovered. */
  disableWebhookEndpoint(id: string, options?: RequestOptions): Promise<Result<'admin.disableWebhookEndpoint'>>;
  /** Enable a webhook endpoint and reset its failures. What it missed can be recovered. */
  enableWebhookEndpoint(id: string, options?: RequestOptions): Promise<Result<'admin.enableWebhookEndpoint'>>;
  /** Redeliver what an endpoint missed in a time range, at most 50,000 deliveries per call. */
  recoverWebhookDeliveries(id: string, body: Body<'admin.recoverWebhookDeliveries'>, options?: IdempotentOptions): Promise<Result<'admin.recoverWebhookDeliveries'>>;
  /** Rotate the signing secret. The new one is returned only here; the old one also signs for a day. */
  rotateWebhookSecret(id: string, options?: IdempotentOptions): Promise<Result<'admin.rotateWebhookSecret'>>;
  /** Send a webhook.test event to an endpoint. */
  testWebhookEndpoint(id: string, options?: RequestOptions): Promise<Result<'admin.testWebhookEndpoint'>>;
  /** List the event types, each with the JSON Schema of its body and an example. */
  listWebhookEventTypes(options?: RequestOptions): Promise<Result<'admin.listWebhookEventTypes'>>;
  /** List wholesale inquiries, newest first. */
  listWholesaleInquiries(query?: Query<'admin.listWholesaleInquiries'>, options?: RequestOptions): List<'admin.listWholesaleInquiries', 'wholesale_inquiries'>;
}

export const adminOperations: OperationTable = {
  getDailyAnalytics: { method: 'GET', path: '/api/v1/admin/analytics/daily', input: 'query', needsKey: true },
  getFunnel: { method: 'GET', path: '/api/v1/admin/analytics/funnel', input: 'query', needsKey: true },
  listAuditLog: { method: 'GET', path: '/api/v1/admin/audit-log', input: 'query', items: 'entries', needsKey: true },
  listEntries: { method: 'GET', path: '/api/v1/admin/content', input: 'query', items: 'entries', needsKey: true },
  createEntry: { method: 'POST', path: '/api/v1/admin/content', input: 'body', needsKey: true },
  deleteEntry: { method: 'DELETE', path: '/api/v1/admin/content/{type}/{slug}', needsKey: true },
  getEntry: { method: 'GET', path: '/api/v1/admin/content/{type}/{slug}', needsKey: true },
  replaceEntry: { method: 'PUT', path: '/api/v1/admin/content/{type}/{slug}', input: 'body', needsKey: true },
  listCustomers: { method: 'GET', path: '/api/v1/admin/customers', input: 'query', items: 'customers', needsKey: true },
  getCustomer: { method: 'GET', path: '/api/v1/admin/customers/{id}', needsKey: true },
  listGiftCards: { method: 'GET', path: '/api/v1/admin/gift-cards', input: 'query', items: 'gift_cards', needsKey: true },
  createGiftCard: { method: 'POST', path: '/api/v1/admin/gift-cards', input: 'body', isIdempotent: true, needsKey: true },
  disableGiftCard: { method: 'POST', path: '/api/v1/admin/gift-cards/{id}/disable', isIdempotent: true, needsKey: true },
  listIntegrations: { method: 'GET', path: '/api/v1/admin/integrations', input: 'query', items: 'integrations', needsKey: true },
  createIntegration: { method: 'POST', path: '/api/v1/admin/integrations', input: 'body', isIdempotent: true, needsKey: true },
  getIntegration: { method: 'GET', path: '/api/v1/admin/integrations/{id}', needsKey: true },
  revealIntegration: { method: 'POST', path: '/api/v1/admin/integrations/{id}/reveal', needsKey: true },
  listKeys: { method: 'GET', path: '/api/v1/admin/keys', input: 'query', items: 'keys', needsKey: true },
  createKey: { method: 'POST', path: '/api/v1/admin/keys', input: 'body', isIdempotent: true, needsKey: true },
  revokeKey: { method: 'POST', path: '/api/v1/admin/keys/{id}/revoke', needsKey: true },
  listLabels: { method: 'GET', path: '/api/v1/admin/labels', input: 'query', items: 'labels', needsKey: true },
  retryLabel: { method: 'POST', path: '/api/v1/admin/labels/{id}/retry', isIdempotent: true, needsKey: true },
  voidLabel: { method: 'POST', path: '/api/v1/admin/labels/{id}/void', isIdempotent: true, needsKey: true },
  listLeads: { method: 'GET', path: '/api/v1/admin/leads', input: 'query', items: 'leads', needsKey: true },
  listModules: { method: 'GET', path: '/api/v1/admin/modules', needsKey: true },
  listOrders: { method: 'GET', path: '/api/v1/admin/orders', input: 'query', items: 'orders', needsKey: true },
  getOrder: { method: 'GET', path: '/api/v1/admin/orders/{id}', needsKey: true },
  dismissOrderAttention: { method: 'POST', path: '/api/v1/admin/orders/{id}/attention/dismiss', input: 'body', needsKey: true },
  buyLabel: { method: 'POST', path: '/api/v1/admin/orders/{id}/label', input: 'body', isIdempotent: true, needsKey: true },
  quoteOrderRates: { method: 'GET', path: '/api/v1/admin/orders/{id}/rates', needsKey: true },
  refundOrder: { method: 'POST', path: '/api/v1/admin/orders/{id}/refunds', input: 'body', isIdempotent: true, needsKey: true },
  shipOrder: { method: 'POST', path: '/api/v1/admin/orders/{id}/ship', input: 'body', isIdempotent: true, needsKey: true },
  replaceShippingAddress: { method: 'PUT', path: '/api/v1/admin/orders/{id}/shipping-address', input: 'body', needsKey: true },
  listPartnerApplications: { method: 'GET', path: '/api/v1/admin/partner-applications', input: 'query', items: 'applications', needsKey: true },
  listPartners: { method: 'GET', path: '/api/v1/admin/partners', input: 'query', items: 'partners', needsKey: true },
  savePartner: { method: 'POST', path: '/api/v1/admin/partners', input: 'body', needsKey: true },
  startSecretRotation: { method: 'POST', path: '/api/v1/admin/payments/webhook-secret/rotations', isIdempotent: true, needsKey: true },
  confirmSecretRotation: { method: 'POST', path: '/api/v1/admin/payments/webhook-secret/rotations/{id}/confirm', input: 'body', needsKey: true },
  listProducts: { method: 'GET', path: '/api/v1/admin/products', input: 'query', items: 'products', needsKey: true },
  createProduct: { method: 'POST', path: '/api/v1/admin/products', input: 'body', needsKey: true },
  deleteProduct: { method: 'DELETE', path: '/api/v1/admin/products/{slug}', needsKey: true },
  getProduct: { method: 'GET', path: '/api/v1/admin/products/{slug}', needsKey: true },
  replaceProduct: { method: 'PUT', path: '/api/v1/admin/products/{slug}', input: 'body', needsKey: true },
  listPromoCodes: { method: 'GET', path: '/api/v1/admin/promo-codes', input: 'query', items: 'promo_codes', needsKey: true },
  createPromoCode: { method: 'POST', path: '/api/v1/admin/promo-codes', input: 'body', needsKey: true },
  deletePromoCode: { method: 'DELETE', path: '/api/v1/admin/promo-codes/{code}', needsKey: true },
  replacePromoCode: { method: 'PUT', path: '/api/v1/admin/promo-codes/{code}', input: 'body', needsKey: true },
  getProviders: { method: 'GET', path: '/api/v1/admin/providers', needsKey: true },
  savePaymentProvider: { method: 'PUT', path: '/api/v1/admin/providers/payments', input: 'body', needsKey: true },
  requestPaymentConfirmation: { method: 'POST', path: '/api/v1/admin/providers/payments/confirmations', input: 'body', isIdempotent: true, needsKey: true },
  saveSecondShippingProvider: { method: 'PUT', path: '/api/v1/admin/providers/second-shipping', input: 'body', needsKey: true },
  requestSecondShippingConfirmation: { method: 'POST', path: '/api/v1/admin/providers/second-shipping/confirmations', input: 'body', isIdempotent: true, needsKey: true },
  saveShippingProvider: { method: 'PUT', path: '/api/v1/admin/providers/shipping', input: 'body', needsKey: true },
  requestShippingConfirmation: { method: 'POST', path: '/api/v1/admin/providers/shipping/confirmations', input: 'body', isIdempotent: true, needsKey: true },
  checkProvider: { method: 'POST', path: '/api/v1/admin/providers/{kind}/check', needsKey: true },
  listReminders: { method: 'GET', path: '/api/v1/admin/reminders', input: 'query', items: 'reminders', needsKey: true },
  listReturns: { method: 'GET', path: '/api/v1/admin/returns', input: 'query', items: 'returns', needsKey: true },
  approveReturn: { method: 'POST', path: '/api/v1/admin/returns/{id}/approve', input: 'body', needsKey: true },
  closeReturn: { method: 'POST', path: '/api/v1/admin/returns/{id}/close', input: 'body', needsKey: true },
  receiveReturn: { method: 'POST', path: '/api/v1/admin/returns/{id}/receive', input: 'body', needsKey: true },
  refundReturn: { method: 'POST', path: '/api/v1/admin/returns/{id}/refund', input: 'body', isIdempotent: true, needsKey: true },
  rejectReturn: { method: 'POST', path: '/api/v1/admin/returns/{id}/reject', input: 'body', needsKey: true },
  listReviews: { method: 'GET', path: '/api/v1/admin/reviews', input: 'query', items: 'reviews', needsKey: true },
  approveReview: { method: 'POST', path: '/api/v1/admin/reviews/{id}/approve', needsKey: true },
  rejectReview: { method: 'POST', path: '/api/v1/admin/reviews/{id}/reject', needsKey: true },
  changeStock: { method: 'PUT', path: '/api/v1/admin/stock', input: 'body', isIdempotent: true, needsKey: true },
  listSubscriptions: { method: 'GET', path: '/api/v1/admin/subscriptions', input: 'query', items: 'subscriptions', needsKey: true },
  getSubscription: { method: 'GET', path: '/api/v1/admin/subscriptions/{id}', needsKey: true },
  listSuppressions: { method: 'GET', path: '/api/v1/admin/suppressions', input: 'query', items: 'suppressions', needsKey: true },
  releaseSuppression: { method: 'POST', path: '/api/v1/admin/suppressions/release', input: 'body', needsKey: true },
  getWebhookDelivery: { method: 'GET', path: '/api/v1/admin/webhook-deliveries/{id}', needsKey: true },
  redeliverWebhook: { method: 'POST', path: '/api/v1/admin/webhook-deliveries/{id}/redeliver', isIdempotent: true, needsKey: true },
  listWebhookEndpoints: { method: 'GET', path: '/api/v1/admin/webhook-endpoints', input: 'query', items: 'webhook_endpoints', needsKey: true },
  createWebhookEndpoint: { method: 'POST', path: '/api/v1/admin/webhook-endpoints', input: 'body', isIdempotent: true, needsKey: true },
  deleteWebhookEndpoint: { method: 'DELETE', path: '/api/v1/admin/webhook-endpoints/{id}', needsKey: true },
  getWebhookEndpoint: { method: 'GET', path: '/api/v1/admin/webhook-endpoints/{id}', needsKey: true },
  updateWebhookEndpoint: { method: 'PATCH', path: '/api/v1/admin/webhook-endpoints/{id}', input: 'body', needsKey: true },
  listWebhookDeliveries: { method: 'GET', path: '/api/v1/admin/webhook-endpoints/{id}/deliveries', input: 'query', items: 'deliveries', needsKey: true },
  disableWebhookEndpoint: { method: 'POST', path: '/api/v1/admin/webhook-endpoints/{id}/disable', needsKey: true },
  enableWebhookEndpoint: { method: 'POST', path: '/api/v1/admin/webhook-endpoints/{id}/enable', needsKey: true },
  recoverWebhookDeliveries: { method: 'POST', path: '/api/v1/admin/webhook-endpoints/{id}/recover', input: 'body', isIdempotent: true, needsKey: true },
  rotateWebhookSecret: { method: 'POST', path: '/api/v1/admin/webhook-endpoints/{id}/rotate-secret', isIdempotent: true, needsKey: true },
  testWebhookEndpoint: { method: 'POST', path: '/api/v1/admin/webhook-endpoints/{id}/test', needsKey: true },
  listWebhookEventTypes: { method: 'GET', path: '/api/v1/admin/webhook-event-types', needsKey: true },
  listWholesaleInquiries: { method: 'GET', path: '/api/v1/admin/wholesale-inquiries', input: 'query', items: 'wholesale_inquiries', needsKey: true },
};
