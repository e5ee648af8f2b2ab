// Generated from the API document by `npm run client:types`. Do not edit.

import type { Body, IdempotentOptions, List, OperationTable, Path, Query, RequestOptions, Result } from '../operation.ts';

export interface AdminOperations {
  /** Read the events, sessions, orders and revenue of each day. */
  getDailyAnalytics(query?: Query<'admin.getDailyAnalytics'>, options?: RequestOptions): Promise<Result<'admin.getDailyAnalytics'>>;
  /** Read the funnel: sessions that reached each step, from viewing a product to a paid order. */
  getFunnel(query?: Query<'admin.getFunnel'>, options?: RequestOptions): Promise<Result<'admin.getFunnel'>>;
  /** List the searches without results of the last 90 days, the most frequent first. */
  listZeroResultSearches(query?: Query<'admin.listZeroResultSearches'>, options?: RequestOptions): Promise<Result<'admin.listZeroResultSearches'>>;
  /** List the audit log, newest first, optionally of one subject. */
  listAuditLog(query?: Query<'admin.listAuditLog'>, options?: RequestOptions): List<'admin.listAuditLog', 'entries'>;
  /** List the bulk changes that the caller may read, newest first. */
  listBulkChanges(query?: Query<'admin.listBulkChanges'>, options?: RequestOptions): List<'admin.listBulkChanges', 'bulk_changes'>;
  /** Preview a bulk change. Nothing changes until it is run. */
  previewBulkChange(body: Body<'admin.previewBulkChange'>, options?: RequestOptions): Promise<Result<'admin.previewBulkChange'>>;
  /** Read a bulk change and its progress. */
  getBulkChange(id: string, options?: RequestOptions): Promise<Result<'admin.getBulkChange'>>;
  /** Cancel a bulk change. Changes that were already made stay. */
  cancelBulkChange(id: string, options?: RequestOptions): Promise<Result<'admin.cancelBulkChange'>>;
  /** Run a bulk change for what its preview selected. Running it again changes nothing. */
  runBulkChange(id: string, options?: RequestOptions): Promise<Result<'admin.runBulkChange'>>;
  /** Undo a bulk change of prices, tags, status or stock by another one, which runs immediately. */
  undoBulkChange(id: string, options?: RequestOptions): Promise<Result<'admin.undoBulkChange'>>;
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
  /** List the erasures of people, newest first. They are retained for 30 days, and in the audit log for ever. */
  listErasures(query?: Query<'admin.listErasures'>, options?: RequestOptions): List<'admin.listErasures', 'erasures'>;
  /** Preview the erasure of a person, with or without a customer. Nothing is erased until it is run. */
  previewErasure(body: Body<'admin.previewErasure'>, options?: RequestOptions): Promise<Result<'admin.previewErasure'>>;
  /** Read an erasure: what it will do, its progress, and what it did. */
  getErasure(id: string, options?: RequestOptions): Promise<Result<'admin.getErasure'>>;
  /** Erase the person, which cannot be undone. Running it again continues what was blocked, or changes nothing. */
  runErasure(id: string, options?: RequestOptions): Promise<Result<'admin.runErasure'>>;
  /** List the exports that the caller may read, newest first. */
  listExports(query?: Query<'admin.listExports'>, options?: RequestOptions): List<'admin.listExports', 'exports'>;
  /** Export to a file. */
  createExport(body: Body<'admin.createExport'>, options?: IdempotentOptions): Promise<Result<'admin.createExport'>>;
  /** Read an export, with the link to its file once it is completed. */
  getExport(id: string, options?: RequestOptions): Promise<Result<'admin.getExport'>>;
  /** Cancel an export that is not completed. */
  cancelExport(id: string, options?: RequestOptions): Promise<Result<'admin.cancelExport'>>;
  /** List gift cards, newest first. Codes are not stored and cannot be shown. */
  listGiftCards(query?: Query<'admin.listGiftCards'>, options?: RequestOptions): List<'admin.listGiftCards', 'gift_cards'>;
  /** Create a gift card. Its code is only returned here. */
  createGiftCard(body: Body<'admin.createGiftCard'>, options?: IdempotentOptions): Promise<Result<'admin.createGiftCard'>>;
  /** Disable a gift card. Open checkouts keep the amount that they hold. */
  disableGiftCard(id: string, options?: IdempotentOptions): Promise<Result<'admin.disableGiftCard'>>;
  /** List the imports that the key may read, newest first. */
  listImports(query?: Query<'admin.listImports'>, options?: RequestOptions): List<'admin.listImports', 'imports'>;
  /** Read an import and its progress. */
  getImport(id: string, options?: RequestOptions): Promise<Result<'admin.getImport'>>;
  /** Cancel an import. Rows that were already imported stay. */
  cancelImport(id: string, options?: RequestOptions): Promise<Result<'admin.cancelImport'>>;
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
  /** Read a link to a label's PDF that is valid now. An earlier `label_url` may have expired. */
  getLabelFile(id: string, options?: RequestOptions): Promise<Result<'admin.getLabelFile'>>;
  /** Retry a label with a fresh quote, also to other countries. A purchase whose outcome is unknown is looked up first. */
  retryLabel(id: string, options?: IdempotentOptions): Promise<Result<'admin.retryLabel'>>;
  /** Void a label and refund its price. The order then has no label. */
  voidLabel(id: string, options?: IdempotentOptions): Promise<Result<'admin.voidLabel'>>;
  /** List leads, newest first. */
  listLeads(query?: Query<'admin.listLeads'>, options?: RequestOptions): List<'admin.listLeads', 'leads'>;
  /** Read which modules are enabled for the store. */
  listModules(options?: RequestOptions): Promise<Result<'admin.listModules'>>;
  /** List orders, newest first. `?needs_attention=true` lists those that need attention, `?updated_since=…` those that changed since then, the latest change last. */
  listOrders(query?: Query<'admin.listOrders'>, options?: RequestOptions): List<'admin.listOrders', 'orders'>;
  /** Read an order with its label, refunds, timeline, and what to do if it needs attention. */
  getOrder(id: string, options?: RequestOptions): Promise<Result<'admin.getOrder'>>;
  /** Dismiss a flag of an order. Its code is required, so that a newer one is not dismissed. */
  dismissOrderAttention(id: string, body: Body<'admin.dismissOrderAttention'>, options?: RequestOptions): Promise<Result<'admin.dismissOrderAttention'>>;
  /** Correct the email of an order, its returns and the subscriptions that it began. No email is sent. */
  replaceOrderEmail(id: string, body: Body<'admin.replaceOrderEmail'>, options?: RequestOptions): Promise<Result<'admin.replaceOrderEmail'>>;
  /** Buy a label, also to other countries: at a rate, even above the cost cap, or at the cheapest. */
  buyLabel(id: string, body?: Body<'admin.buyLabel'>, options?: IdempotentOptions): Promise<Result<'admin.buyLabel'>>;
  /** Quote the rates of an order, also to other countries, the cheapest first. */
  quoteOrderRates(id: string, options?: RequestOptions): Promise<Result<'admin.quoteOrderRates'>>;
  /** Resend the receipt of a paid order to its shopper. */
  resendReceipt(id: string, options?: IdempotentOptions): Promise<Result<'admin.resendReceipt'>>;
  /** Refund an order. A worker issues the refund; the part that was paid with a gift card is returned last. */
  refundOrder(id: string, body?: Body<'admin.refundOrder'>, options?: IdempotentOptions): Promise<Result<'admin.refundOrder'>>;
  /** Mark an order as shipped by hand. No label is bought, and the shopper is notified. */
  shipOrder(id: string, body: Body<'admin.shipOrder'>, options?: IdempotentOptions): Promise<Result<'admin.shipOrder'>>;
  /** Undo marking an order as shipped by hand. Parcels entered by hand are removed. No email is sent. */
  cancelShipment(id: string, options?: IdempotentOptions): Promise<Result<'admin.cancelShipment'>>;
  /** Correct the shipping address of an order. This does not retry its label. */
  replaceShippingAddress(id: string, body: Body<'admin.replaceShippingAddress'>, options?: RequestOptions): Promise<Result<'admin.replaceShippingAddress'>>;
  /** Correct or remove a tracking number that was entered by hand. The shopper is sent a new one. */
  correctTracking(id: string, body: Body<'admin.correctTracking'>, options?: IdempotentOptions): Promise<Result<'admin.correctTracking'>>;
  /** Read what needs attention in the store, and what to do about it. */
  getOverview(options?: RequestOptions): Promise<Result<'admin.getOverview'>>;
  /** List partner applications, newest first. */
  listPartnerApplications(query?: Query<'admin.listPartnerApplications'>, options?: RequestOptions): List<'admin.listPartnerApplications', 'applications'>;
  /** List partners with their sales, newest first. */
  listPartners(query?: Query<'admin.listPartners'>, options?: RequestOptions): List<'admin.listPartners', 'partners'>;
  /** Create a partner, or update the one with this code. Omitted fields are set to their defaults. */
  savePartner(body: Body<'admin.savePartner'>, options?: RequestOptions): Promise<Result<'admin.savePartner'>>;
  /** Remove a partner: no further order is attributed to them. Open checkouts keep their discount. */
  deletePartner(code: string, options?: RequestOptions): Promise<Result<'admin.deletePartner'>>;
  /** Start rotating the payment provider's webhook secret. A one-time code is emailed to the owner, unless a member of the staff starts it. */
  startSecretRotation(options?: IdempotentOptions): Promise<Result<'admin.startSecretRotation'>>;
  /** Confirm the rotation and read the new secret. It can be read again for ten minutes. */
  confirmSecretRotation(id: string, body?: Body<'admin.confirmSecretRotation'>, options?: RequestOptions): Promise<Result<'admin.confirmSecretRotation'>>;
  /** Export everything that is stored about an email to a file, with or without a customer. */
  exportPersonalData(body: Body<'admin.exportPersonalData'>, options?: IdempotentOptions): Promise<Result<'admin.exportPersonalData'>>;
  /** List products including drafts, newest first. */
  listProducts(query?: Query<'admin.listProducts'>, options?: RequestOptions): List<'admin.listProducts', 'products'>;
  /** Create a product with its variants. */
  createProduct(body: Body<'admin.createProduct'>, options?: RequestOptions): Promise<Result<'admin.createProduct'>>;
  /** Remove a product. */
  deleteProduct(slug: string, options?: RequestOptions): Promise<Result<'admin.deleteProduct'>>;
  /** Read a product, published or not. */
  getProduct(slug: string, options?: RequestOptions): Promise<Result<'admin.getProduct'>>;
  /** Replace a product. Omitted variants are removed. Stock is set only for new variants. */
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
  /** Save the account at the payment provider. Omitted secrets do not change; null removes the key. */
  savePaymentProvider(body: Body<'admin.savePaymentProvider'>, options?: RequestOptions): Promise<Result<'admin.savePaymentProvider'>>;
  /** Email the owner the one-time password for replacing stored credentials. The body is that of the PUT. */
  requestPaymentConfirmation(body: Body<'admin.requestPaymentConfirmation'>, options?: IdempotentOptions): Promise<Result<'admin.requestPaymentConfirmation'>>;
  /** Save the account at the second parcel provider. It is stored and checked, and not used for labels. */
  saveSecondShippingProvider(body: Body<'admin.saveSecondShippingProvider'>, options?: RequestOptions): Promise<Result<'admin.saveSecondShippingProvider'>>;
  /** Email the owner the one-time password for replacing stored credentials. The body is that of the PUT. */
  requestSecondShippingConfirmation(body: Body<'admin.requestSecondShippingConfirmation'>, options?: IdempotentOptions): Promise<Result<'admin.requestSecondShippingConfirmation'>>;
  /** Save the account at the parcel provider and the shipping terms. Omitted secrets do not change. */
  saveShippingProvider(body: Body<'admin.saveShippingProvider'>, options?: RequestOptions): Promise<Result<'admin.saveShippingProvider'>>;
  /** Email the owner the one-time password for replacing stored credentials. The body is that of the PUT. */
  requestShippingConfirmation(body: Body<'admin.requestShippingConfirmation'>, options?: IdempotentOptions): Promise<Result<'admin.requestShippingConfirmation'>>;
  /** Check whether the stored key opens the account at a provider. */
  checkProvider(kind: Path<'admin.checkProvider'>['kind'], options?: RequestOptions): Promise<Result<'admin.checkProvider'>>;
  /** Read the settings of reminders. */
  getReminderSettings(options?: RequestOptions): Promise<Result<'admin.getReminderSettings'>>;
  /** Replace the settings of reminders. Omitted fields are set to their defaults. */
  saveReminderSettings(body?: Body<'admin.saveReminderSettings'>, options?: RequestOptions): Promise<Result<'admin.saveReminderSettings'>>;
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
  /** Remove the authenticator app and its recovery codes. Codes are emailed again. */
  removeTotp(options?: RequestOptions): Promise<Result<'admin.removeTotp'>>;
  /** Start setting up an authenticator app. Its secret is only returned here. */
  startTotp(options?: RequestOptions): Promise<Result<'admin.startTotp'>>;
  /** Confirm the authenticator app with one of its codes. The recovery codes are only returned here. */
  confirmTotp(body: Body<'admin.confirmTotp'>, options?: RequestOptions): Promise<Result<'admin.confirmTotp'>>;
  /** Read who is signed in and what they may do. */
  getSession(options?: RequestOptions): Promise<Result<'admin.getSession'>>;
  /** Sign out. The session ends at once. */
  signOut(options?: RequestOptions): Promise<Result<'admin.signOut'>>;
  /** Verify the session for ten minutes, with a code of the authenticator app, a recovery code or an emailed one. */
  verifySession(body: Body<'admin.verifySession'>, options?: RequestOptions): Promise<Result<'admin.verifySession'>>;
  /** Email a code that verifies this session, to a member without an authenticator app. */
  emailVerificationCode(options?: RequestOptions): Promise<Result<'admin.emailVerificationCode'>>;
  /** List one's own open sessions, or with `admin.staff:read` those of a member, newest first. */
  listSessions(query?: Query<'admin.listSessions'>, options?: RequestOptions): Promise<Result<'admin.listSessions'>>;
  /** End one of one's own sessions, or with `admin.staff:write` one of another member. */
  revokeSession(id: string, options?: RequestOptions): Promise<Result<'admin.revokeSession'>>;
  /** Sign in with the token of an emailed link, which works once. Sets the cookie of the session. */
  signIn(body: Body<'admin.signIn'>, options?: RequestOptions): Promise<Result<'admin.signIn'>>;
  /** Email a sign-in link if the address belongs to the staff of the store. The response is the same either way. */
  requestSignInLink(body: Body<'admin.requestSignInLink'>, options?: RequestOptions): Promise<Result<'admin.requestSignInLink'>>;
  /** List the staff of the store, including revoked members, oldest first. */
  listStaff(query?: Query<'admin.listStaff'>, options?: RequestOptions): List<'admin.listStaff', 'staff'>;
  /** Invite a member, or invite one again. They are emailed a link to sign in, which is valid for three days. */
  inviteStaff(body: Body<'admin.inviteStaff'>, options?: IdempotentOptions): Promise<Result<'admin.inviteStaff'>>;
  /** Change the name or the role of a member. Omitted fields do not change. */
  updateStaff(id: string, body?: Body<'admin.updateStaff'>, options?: RequestOptions): Promise<Result<'admin.updateStaff'>>;
  /** Revoke a member. Their sessions end at once. */
  revokeStaff(id: string, options?: RequestOptions): Promise<Result<'admin.revokeStaff'>>;
  /** Set or adjust the stock of variants, all or nothing. */
  changeStock(body: Body<'admin.changeStock'>, options?: IdempotentOptions): Promise<Result<'admin.changeStock'>>;
  /** List the stock movements of a variant, newest first. */
  listStockMovements(query: Query<'admin.listStockMovements'>, options?: RequestOptions): List<'admin.listStockMovements', 'movements'>;
  /** Read the store's settings. */
  getStore(options?: RequestOptions): Promise<Result<'admin.getStore'>>;
  /** Replace the store's settings. Omitted fields are set to their defaults. */
  saveStore(body: Body<'admin.saveStore'>, options?: RequestOptions): Promise<Result<'admin.saveStore'>>;
  /** List the subscriptions of the store, newest first. */
  listSubscriptions(query?: Query<'admin.listSubscriptions'>, options?: RequestOptions): List<'admin.listSubscriptions', 'subscriptions'>;
  /** Read a subscription. */
  getSubscription(id: string, options?: RequestOptions): Promise<Result<'admin.getSubscription'>>;
  /** Pause, resume or cancel a subscription, or change its interval or address, as its customer can. */
  manageSubscription(id: string, body: Body<'admin.manageSubscription'>, options?: IdempotentOptions): Promise<Result<'admin.manageSubscription'>>;
  /** Undo a cancellation at the end of the period. */
  reactivateSubscription(id: string, options?: IdempotentOptions): Promise<Result<'admin.reactivateSubscription'>>;
  /** List suppressed email addresses: they bounced and get no more email. */
  listSuppressions(query?: Query<'admin.listSuppressions'>, options?: RequestOptions): List<'admin.listSuppressions', 'suppressions'>;
  /** Remove an email address from the suppression list. */
  releaseSuppression(body: Body<'admin.releaseSuppression'>, options?: RequestOptions): Promise<Result<'admin.releaseSuppression'>>;
  /** List the waitlist entries of sold-out products, newest first. */
  listWaitlist(query?: Query<'admin.listWaitlist'>, options?: RequestOptions): List<'admin.listWaitlist', 'waitlist'>;
  /** Read a delivery: its attempts, their responses, and what it sends. */
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
  /** Update a webhook endpoint. Omitted fields do not change. */
  updateWebhookEndpoint(id: string, body?: Body<'admin.updateWebhookEndpoint'>, options?: RequestOptions): Promise<Result<'admin.updateWebhookEndpoint'>>;
  /** List the deliveries of a webhook endpoint, newest first. */
  listWebhookDeliveries(id: string, query?: Query<'admin.listWebhookDeliveries'>, options?: RequestOptions): List<'admin.listWebhookDeliveries', 'deliveries'>;
  /** Disable a webhook endpoint. Its pending deliveries are discarded and can be recovered. */
  disableWebhookEndpoint(id: string, options?: RequestOptions): Promise<Result<'admin.disableWebhookEndpoint'>>;
  /** Enable a webhook endpoint and reset its failures. What it missed can be recovered. */
  enableWebhookEndpoint(id: string, options?: RequestOptions): Promise<Result<'admin.enableWebhookEndpoint'>>;
  /** Redeliver what an endpoint missed in a time range: at most 50,000 per call. */
  recoverWebhookDeliveries(id: string, body: Body<'admin.recoverWebhookDeliveries'>, options?: IdempotentOptions): Promise<Result<'admin.recoverWebhookDeliveries'>>;
  /** Rotate the signing secret. The new one is returned only here. Up to five old ones sign for another day. */
  rotateWebhookSecret(id: string, options?: IdempotentOptions): Promise<Result<'admin.rotateWebhookSecret'>>;
  /** Send a webhook.test event to an endpoint. */
  testWebhookEndpoint(id: string, options?: RequestOptions): Promise<Result<'admin.testWebhookEndpoint'>>;
  /** List the event types, with the JSON Schema of each body and an example. */
  listWebhookEventTypes(options?: RequestOptions): Promise<Result<'admin.listWebhookEventTypes'>>;
  /** List wholesale inquiries, newest first. */
  listWholesaleInquiries(query?: Query<'admin.listWholesaleInquiries'>, options?: RequestOptions): List<'admin.listWholesaleInquiries', 'wholesale_inquiries'>;
}

export const adminOperations: OperationTable = {
  getDailyAnalytics: { at: 'GET /api/v1/admin/analytics/daily', input: 'query' },
  getFunnel: { at: 'GET /api/v1/admin/analytics/funnel', input: 'query' },
  listZeroResultSearches: { at: 'GET /api/v1/admin/analytics/zero-result-searches', input: 'query' },
  listAuditLog: { at: 'GET /api/v1/admin/audit-log', input: 'query', items: 'entries' },
  listBulkChanges: { at: 'GET /api/v1/admin/bulk-changes', input: 'query', items: 'bulk_changes' },
  previewBulkChange: { at: 'POST /api/v1/admin/bulk-changes', input: 'body' },
  getBulkChange: { at: 'GET /api/v1/admin/bulk-changes/{id}' },
  cancelBulkChange: { at: 'POST /api/v1/admin/bulk-changes/{id}/cancel' },
  runBulkChange: { at: 'POST /api/v1/admin/bulk-changes/{id}/run' },
  undoBulkChange: { at: 'POST /api/v1/admin/bulk-changes/{id}/undo' },
  listEntries: { at: 'GET /api/v1/admin/content', input: 'query', items: 'entries' },
  createEntry: { at: 'POST /api/v1/admin/content', input: 'body' },
  deleteEntry: { at: 'DELETE /api/v1/admin/content/{type}/{slug}' },
  getEntry: { at: 'GET /api/v1/admin/content/{type}/{slug}' },
  replaceEntry: { at: 'PUT /api/v1/admin/content/{type}/{slug}', input: 'body' },
  listCustomers: { at: 'GET /api/v1/admin/customers', input: 'query', items: 'customers' },
  getCustomer: { at: 'GET /api/v1/admin/customers/{id}' },
  listErasures: { at: 'GET /api/v1/admin/erasures', input: 'query', items: 'erasures' },
  previewErasure: { at: 'POST /api/v1/admin/erasures', input: 'body' },
  getErasure: { at: 'GET /api/v1/admin/erasures/{id}' },
  runErasure: { at: 'POST /api/v1/admin/erasures/{id}/run' },
  listExports: { at: 'GET /api/v1/admin/exports', input: 'query', items: 'exports' },
  createExport: { at: 'POST /api/v1/admin/exports', input: 'body', isIdempotent: true },
  getExport: { at: 'GET /api/v1/admin/exports/{id}' },
  cancelExport: { at: 'POST /api/v1/admin/exports/{id}/cancel' },
  listGiftCards: { at: 'GET /api/v1/admin/gift-cards', input: 'query', items: 'gift_cards' },
  createGiftCard: { at: 'POST /api/v1/admin/gift-cards', input: 'body', isIdempotent: true },
  disableGiftCard: { at: 'POST /api/v1/admin/gift-cards/{id}/disable', isIdempotent: true },
  listImports: { at: 'GET /api/v1/admin/imports', input: 'query', items: 'imports' },
  getImport: { at: 'GET /api/v1/admin/imports/{id}' },
  cancelImport: { at: 'POST /api/v1/admin/imports/{id}/cancel' },
  listIntegrations: { at: 'GET /api/v1/admin/integrations', input: 'query', items: 'integrations' },
  createIntegration: { at: 'POST /api/v1/admin/integrations', input: 'body', isIdempotent: true },
  getIntegration: { at: 'GET /api/v1/admin/integrations/{id}' },
  revealIntegration: { at: 'POST /api/v1/admin/integrations/{id}/reveal' },
  listKeys: { at: 'GET /api/v1/admin/keys', input: 'query', items: 'keys' },
  createKey: { at: 'POST /api/v1/admin/keys', input: 'body', isIdempotent: true },
  revokeKey: { at: 'POST /api/v1/admin/keys/{id}/revoke' },
  listLabels: { at: 'GET /api/v1/admin/labels', input: 'query', items: 'labels' },
  getLabelFile: { at: 'GET /api/v1/admin/labels/{id}/file' },
  retryLabel: { at: 'POST /api/v1/admin/labels/{id}/retry', isIdempotent: true },
  voidLabel: { at: 'POST /api/v1/admin/labels/{id}/void', isIdempotent: true },
  listLeads: { at: 'GET /api/v1/admin/leads', input: 'query', items: 'leads' },
  listModules: { at: 'GET /api/v1/admin/modules' },
  listOrders: { at: 'GET /api/v1/admin/orders', input: 'query', items: 'orders' },
  getOrder: { at: 'GET /api/v1/admin/orders/{id}' },
  dismissOrderAttention: { at: 'POST /api/v1/admin/orders/{id}/attention/dismiss', input: 'body' },
  replaceOrderEmail: { at: 'PUT /api/v1/admin/orders/{id}/email', input: 'body' },
  buyLabel: { at: 'POST /api/v1/admin/orders/{id}/label', input: 'body', isIdempotent: true },
  quoteOrderRates: { at: 'GET /api/v1/admin/orders/{id}/rates' },
  resendReceipt: { at: 'POST /api/v1/admin/orders/{id}/receipt', isIdempotent: true },
  refundOrder: { at: 'POST /api/v1/admin/orders/{id}/refunds', input: 'body', isIdempotent: true },
  shipOrder: { at: 'POST /api/v1/admin/orders/{id}/ship', input: 'body', isIdempotent: true },
  cancelShipment: { at: 'POST /api/v1/admin/orders/{id}/ship/cancel', isIdempotent: true },
  replaceShippingAddress: { at: 'PUT /api/v1/admin/orders/{id}/shipping-address', input: 'body' },
  correctTracking: { at: 'POST /api/v1/admin/orders/{id}/tracking/correct', input: 'body', isIdempotent: true },
  getOverview: { at: 'GET /api/v1/admin/overview' },
  listPartnerApplications: { at: 'GET /api/v1/admin/partner-applications', input: 'query', items: 'applications' },
  listPartners: { at: 'GET /api/v1/admin/partners', input: 'query', items: 'partners' },
  savePartner: { at: 'POST /api/v1/admin/partners', input: 'body' },
  deletePartner: { at: 'DELETE /api/v1/admin/partners/{code}' },
  startSecretRotation: { at: 'POST /api/v1/admin/payments/webhook-secret/rotations', isIdempotent: true },
  confirmSecretRotation: { at: 'POST /api/v1/admin/payments/webhook-secret/rotations/{id}/confirm', input: 'body' },
  exportPersonalData: { at: 'POST /api/v1/admin/personal-data-exports', input: 'body', isIdempotent: true },
  listProducts: { at: 'GET /api/v1/admin/products', input: 'query', items: 'products' },
  createProduct: { at: 'POST /api/v1/admin/products', input: 'body' },
  deleteProduct: { at: 'DELETE /api/v1/admin/products/{slug}' },
  getProduct: { at: 'GET /api/v1/admin/products/{slug}' },
  replaceProduct: { at: 'PUT /api/v1/admin/products/{slug}', input: 'body' },
  listPromoCodes: { at: 'GET /api/v1/admin/promo-codes', input: 'query', items: 'promo_codes' },
  createPromoCode: { at: 'POST /api/v1/admin/promo-codes', input: 'body' },
  deletePromoCode: { at: 'DELETE /api/v1/admin/promo-codes/{code}' },
  replacePromoCode: { at: 'PUT /api/v1/admin/promo-codes/{code}', input: 'body' },
  getProviders: { at: 'GET /api/v1/admin/providers' },
  savePaymentProvider: { at: 'PUT /api/v1/admin/providers/payments', input: 'body' },
  requestPaymentConfirmation: { at: 'POST /api/v1/admin/providers/payments/confirmations', input: 'body', isIdempotent: true },
  saveSecondShippingProvider: { at: 'PUT /api/v1/admin/providers/second-shipping', input: 'body' },
  requestSecondShippingConfirmation: { at: 'POST /api/v1/admin/providers/second-shipping/confirmations', input: 'body', isIdempotent: true },
  saveShippingProvider: { at: 'PUT /api/v1/admin/providers/shipping', input: 'body' },
  requestShippingConfirmation: { at: 'POST /api/v1/admin/providers/shipping/confirmations', input: 'body', isIdempotent: true },
  checkProvider: { at: 'POST /api/v1/admin/providers/{kind}/check' },
  getReminderSettings: { at: 'GET /api/v1/admin/reminder-settings' },
  saveReminderSettings: { at: 'PUT /api/v1/admin/reminder-settings', input: 'body' },
  listReminders: { at: 'GET /api/v1/admin/reminders', input: 'query', items: 'reminders' },
  listReturns: { at: 'GET /api/v1/admin/returns', input: 'query', items: 'returns' },
  approveReturn: { at: 'POST /api/v1/admin/returns/{id}/approve', input: 'body' },
  closeReturn: { at: 'POST /api/v1/admin/returns/{id}/close', input: 'body' },
  receiveReturn: { at: 'POST /api/v1/admin/returns/{id}/receive', input: 'body' },
  refundReturn: { at: 'POST /api/v1/admin/returns/{id}/refund', input: 'body', isIdempotent: true },
  rejectReturn: { at: 'POST /api/v1/admin/returns/{id}/reject', input: 'body' },
  listReviews: { at: 'GET /api/v1/admin/reviews', input: 'query', items: 'reviews' },
  approveReview: { at: 'POST /api/v1/admin/reviews/{id}/approve' },
  rejectReview: { at: 'POST /api/v1/admin/reviews/{id}/reject' },
  removeTotp: { at: 'DELETE /api/v1/admin/second-factor/totp' },
  startTotp: { at: 'POST /api/v1/admin/second-factor/totp' },
  confirmTotp: { at: 'POST /api/v1/admin/second-factor/totp/confirm', input: 'body' },
  getSession: { at: 'GET /api/v1/admin/session' },
  signOut: { at: 'POST /api/v1/admin/session/sign-out' },
  verifySession: { at: 'POST /api/v1/admin/session/verification', input: 'body' },
  emailVerificationCode: { at: 'POST /api/v1/admin/session/verification/email' },
  listSessions: { at: 'GET /api/v1/admin/sessions', input: 'query' },
  revokeSession: { at: 'POST /api/v1/admin/sessions/{id}/revoke' },
  signIn: { at: 'POST /api/v1/admin/sign-in/consume', input: 'body' },
  requestSignInLink: { at: 'POST /api/v1/admin/sign-in/request', input: 'body' },
  listStaff: { at: 'GET /api/v1/admin/staff', input: 'query', items: 'staff' },
  inviteStaff: { at: 'POST /api/v1/admin/staff', input: 'body', isIdempotent: true },
  updateStaff: { at: 'PATCH /api/v1/admin/staff/{id}', input: 'body' },
  revokeStaff: { at: 'POST /api/v1/admin/staff/{id}/revoke' },
  changeStock: { at: 'PUT /api/v1/admin/stock', input: 'body', isIdempotent: true },
  listStockMovements: { at: 'GET /api/v1/admin/stock/movements', input: 'query', items: 'movements' },
  getStore: { at: 'GET /api/v1/admin/store' },
  saveStore: { at: 'PUT /api/v1/admin/store', input: 'body' },
  listSubscriptions: { at: 'GET /api/v1/admin/subscriptions', input: 'query', items: 'subscriptions' },
  getSubscription: { at: 'GET /api/v1/admin/subscriptions/{id}' },
  manageSubscription: { at: 'POST /api/v1/admin/subscriptions/{id}/manage', input: 'body', isIdempotent: true },
  reactivateSubscription: { at: 'POST /api/v1/admin/subscriptions/{id}/reactivate', isIdempotent: true },
  listSuppressions: { at: 'GET /api/v1/admin/suppressions', input: 'query', items: 'suppressions' },
  releaseSuppression: { at: 'POST /api/v1/admin/suppressions/release', input: 'body' },
  listWaitlist: { at: 'GET /api/v1/admin/waitlist', input: 'query', items: 'waitlist' },
  getWebhookDelivery: { at: 'GET /api/v1/admin/webhook-deliveries/{id}' },
  redeliverWebhook: { at: 'POST /api/v1/admin/webhook-deliveries/{id}/redeliver', isIdempotent: true },
  listWebhookEndpoints: { at: 'GET /api/v1/admin/webhook-endpoints', input: 'query', items: 'webhook_endpoints' },
  createWebhookEndpoint: { at: 'POST /api/v1/admin/webhook-endpoints', input: 'body', isIdempotent: true },
  deleteWebhookEndpoint: { at: 'DELETE /api/v1/admin/webhook-endpoints/{id}' },
  getWebhookEndpoint: { at: 'GET /api/v1/admin/webhook-endpoints/{id}' },
  updateWebhookEndpoint: { at: 'PATCH /api/v1/admin/webhook-endpoints/{id}', input: 'body' },
  listWebhookDeliveries: { at: 'GET /api/v1/admin/webhook-endpoints/{id}/deliveries', input: 'query', items: 'deliveries' },
  disableWebhookEndpoint: { at: 'POST /api/v1/admin/webhook-endpoints/{id}/disable' },
  enableWebhookEndpoint: { at: 'POST /api/v1/admin/webhook-endpoints/{id}/enable' },
  recoverWebhookDeliveries: { at: 'POST /api/v1/admin/webhook-endpoints/{id}/recover', input: 'body', isIdempotent: true },
  rotateWebhookSecret: { at: 'POST /api/v1/admin/webhook-endpoints/{id}/rotate-secret', isIdempotent: true },
  testWebhookEndpoint: { at: 'POST /api/v1/admin/webhook-endpoints/{id}/test' },
  listWebhookEventTypes: { at: 'GET /api/v1/admin/webhook-event-types' },
  listWholesaleInquiries: { at: 'GET /api/v1/admin/wholesale-inquiries', input: 'query', items: 'wholesale_inquiries' },
};
