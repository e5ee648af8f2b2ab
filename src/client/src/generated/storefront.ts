// Generated from the API document by `npm run client:types`. Do not edit.

import type { Body, IdempotentOptions, List, OperationTable, Query, RequestOptions, Result } from '../operation.ts';

export interface StorefrontOperations {
  /** Send a batch of storefront events. Invalid events are listed in the response. */
  sendAnalyticsEvents(body: Body<'sendAnalyticsEvents'>, options?: RequestOptions): Promise<Result<'sendAnalyticsEvents'>>;
  /** Create a link to the page where customers manage their subscriptions. */
  createBillingPortalSession(body: Body<'createBillingPortalSession'>, options?: RequestOptions): Promise<Result<'createBillingPortalSession'>>;
  /** Create a cart. It expires after 30 days. */
  createCart(body?: Body<'createCart'>, options?: IdempotentOptions): Promise<Result<'createCart'>>;
  /** Preview what a gift card pays of an order. */
  previewGiftCard(body: Body<'previewGiftCard'>, options?: RequestOptions): Promise<Result<'previewGiftCard'>>;
  /** Preview a promo code on a cart. */
  previewPromoCode(body: Body<'previewPromoCode'>, options?: RequestOptions): Promise<Result<'previewPromoCode'>>;
  /** Restore a saved cart with the token of a reminder. */
  restoreCart(query?: Query<'restoreCart'>, options?: RequestOptions): Promise<Result<'restoreCart'>>;
  /** Restore a saved cart with the token of a reminder, in the body or the query. */
  restoreCartByPost(body?: Body<'restoreCartByPost'>, options?: RequestOptions): Promise<Result<'restoreCartByPost'>>;
  /** Save a cart for an email address and schedule reminders. */
  saveCart(body: Body<'saveCart'>, options?: RequestOptions): Promise<Result<'saveCart'>>;
  /** Read whether an email gets reminders, as a page for browsers. With confirm=1, unsubscribe it. */
  getReminderSubscription(query?: Query<'getReminderSubscription'>, options?: RequestOptions): Promise<Result<'getReminderSubscription'>>;
  /** Unsubscribe an email from reminders. Supports one-click unsubscription (RFC 8058). */
  unsubscribeFromReminders(body?: Body<'unsubscribeFromReminders'>, options?: RequestOptions): Promise<Result<'unsubscribeFromReminders'>>;
  /** Read a cart with current prices. */
  getCart(id: string, options?: RequestOptions): Promise<Result<'getCart'>>;
  /** Add an item to a cart. An equal item increases the quantity of its line. */
  addCartItem(id: string, body: Body<'addCartItem'>, options?: IdempotentOptions): Promise<Result<'addCartItem'>>;
  /** Remove an item from a cart. */
  removeCartItem(id: string, itemId: string, options?: IdempotentOptions): Promise<Result<'removeCartItem'>>;
  /** Change the quantity or purchase type of a cart item. Quantity 0 removes it. */
  updateCartItem(id: string, itemId: string, body?: Body<'updateCartItem'>, options?: IdempotentOptions): Promise<Result<'updateCartItem'>>;
  /** Create a pending order and its hosted payment session. Requires a key with `checkout:write`. */
  createCheckoutSession(body: Body<'createCheckoutSession'>, options?: IdempotentOptions): Promise<Result<'createCheckoutSession'>>;
  /** Read the status of a checkout's order. */
  getCheckoutStatus(orderId: string, options?: RequestOptions): Promise<Result<'getCheckoutStatus'>>;
  /** List the active announcements. */
  listActiveAnnouncements(query?: Query<'listActiveAnnouncements'>, options?: RequestOptions): List<'listActiveAnnouncements', 'entries'>;
  /** List the published entries of a type, newest first. */
  listEntries(type: string, query?: Query<'listEntries'>, options?: RequestOptions): List<'listEntries', 'entries'>;
  /** Read a published entry. */
  getEntry(type: string, slug: string, options?: RequestOptions): Promise<Result<'getEntry'>>;
  /** Read the latest orders, subscriptions and returns of the signed-in customer. Requires a session. */
  getCustomerPortal(options?: RequestOptions): Promise<Result<'getCustomerPortal'>>;
  /** Email a sign-in link to a customer. The response does not reveal whether the email is known. */
  requestCustomerPortalLink(body: Body<'requestCustomerPortalLink'>, options?: RequestOptions): Promise<Result<'requestCustomerPortalLink'>>;
  /** Cancel a subscription of the signed-in customer, at the end of the paid period or at once. Requires a session. */
  cancelSubscription(body: Body<'cancelSubscription'>, options?: RequestOptions): Promise<Result<'cancelSubscription'>>;
  /** List the orders of the signed-in customer, newest first. Requires a session. */
  listCustomerOrders(query?: Query<'listCustomerOrders'>, options?: RequestOptions): List<'listCustomerOrders', 'orders'>;
  /** Read an order of the signed-in customer. Requires a session. */
  getCustomerOrder(id: string, options?: RequestOptions): Promise<Result<'getCustomerOrder'>>;
  /** List the returns of the signed-in customer, newest first. Requires a session. */
  listCustomerReturns(query?: Query<'listCustomerReturns'>, options?: RequestOptions): List<'listCustomerReturns', 'returns'>;
  /** Request a return for an order of the signed-in customer. Requires a session. */
  createCustomerReturn(body: Body<'createCustomerReturn'>, options?: IdempotentOptions): Promise<Result<'createCustomerReturn'>>;
  /** List the subscriptions of the signed-in customer, newest first. Requires a session. */
  listCustomerSubscriptions(query?: Query<'listCustomerSubscriptions'>, options?: RequestOptions): List<'listCustomerSubscriptions', 'subscriptions'>;
  /** Sign in with the token of an emailed link. It works once. */
  consumeMagicLink(body: Body<'consumeMagicLink'>, options?: RequestOptions): Promise<Result<'consumeMagicLink'>>;
  /** Email a sign-in link if a customer with this address exists. The response is the same either way. */
  requestMagicLink(body: Body<'requestMagicLink'>, options?: RequestOptions): Promise<Result<'requestMagicLink'>>;
  /** Read the signed-in customer. Requires a session. */
  getCustomer(options?: RequestOptions): Promise<Result<'getCustomer'>>;
  /** Renew a session for 15 minutes, with the session token or a refresh token. A refresh token is replaced. */
  refreshSession(body?: Body<'refreshSession'>, options?: RequestOptions): Promise<Result<'refreshSession'>>;
  /** Sign out. The session and its refresh tokens stop working. Requires a session. */
  signOut(options?: RequestOptions): Promise<Result<'signOut'>>;
  /** Read the stock status of up to 50 variants. Unknown ones are left out. */
  listStock(query: Query<'listStock'>, options?: RequestOptions): Promise<Result<'listStock'>>;
  /** Read the stock status of each variant of a product. */
  getProductStock(slug: string, options?: RequestOptions): Promise<Result<'getProductStock'>>;
  /** Create a lead. The same email from the same source is the same lead. */
  createLead(body: Body<'createLead'>, options?: RequestOptions): Promise<Result<'createLead'>>;
  /** Submit the answers to a quiz. */
  submitQuiz(body: Body<'submitQuiz'>, options?: RequestOptions): Promise<Result<'submitQuiz'>>;
  /** Join the waitlist of a product or variant. One email is sent when it is back in stock. */
  joinWaitlist(body: Body<'joinWaitlist'>, options?: RequestOptions): Promise<Result<'joinWaitlist'>>;
  /** Submit a wholesale inquiry, as a lead. */
  createWholesaleLead(body: Body<'createWholesaleLead'>, options?: RequestOptions): Promise<Result<'createWholesaleLead'>>;
  /** Find an order by its number and email. */
  lookUpOrder(query: Query<'lookUpOrder'>, options?: RequestOptions): Promise<Result<'lookUpOrder'>>;
  /** Read an order for its confirmation or account page. */
  getOrder(orderId: string, query?: Query<'getOrder'>, options?: RequestOptions): Promise<Result<'getOrder'>>;
  /** Apply to become a partner. The store’s owner decides. */
  applyAsPartner(body: Body<'applyAsPartner'>, options?: IdempotentOptions): Promise<Result<'applyAsPartner'>>;
  /** Track a referral. Orders of this session within the partner’s window are attributed to the partner. */
  trackReferral(body: Body<'trackReferral'>, options?: RequestOptions): Promise<Result<'trackReferral'>>;
  /** Read a partner by code, with the discount that a checkout with this `partner_code` has. */
  getPartner(code: string, options?: RequestOptions): Promise<Result<'getPartner'>>;
  /** List published products. */
  listProducts(query?: Query<'listProducts'>, options?: RequestOptions): List<'listProducts', 'products'>;
  /** Read a published product with its variants. */
  getProduct(slug: string, options?: RequestOptions): Promise<Result<'getProduct'>>;
  /** List the images of a product. */
  listProductImages(slug: string, options?: RequestOptions): Promise<Result<'listProductImages'>>;
  /** List the approved reviews of a product, newest first. */
  listProductReviews(slug: string, query?: Query<'listProductReviews'>, options?: RequestOptions): List<'listProductReviews', 'reviews'>;
  /** Submit a product review. */
  createProductReview(slug: string, body: Body<'createProductReview'>, options?: IdempotentOptions): Promise<Result<'createProductReview'>>;
  /** Request a return by order number and email. */
  createReturn(body: Body<'createReturn'>, options?: IdempotentOptions): Promise<Result<'createReturn'>>;
  /** Search products and content. */
  search(query: Query<'search'>, options?: RequestOptions): List<'search', 'results'>;
  /** Quote live shipping rates for a destination and a weight. */
  quoteShippingRates(body: Body<'quoteShippingRates'>, options?: RequestOptions): Promise<Result<'quoteShippingRates'>>;
  /** Read the store configuration. */
  getStorefront(options?: RequestOptions): Promise<Result<'getStorefront'>>;
  /** Buy some months of a subscription as a gift, paid at once. Requires a key with `checkout:write`. */
  createGiftCheckoutSession(body: Body<'createGiftCheckoutSession'>, options?: IdempotentOptions): Promise<Result<'createGiftCheckoutSession'>>;
  /** Read a subscription. Requires a key with `subscriptions:read`. */
  getSubscription(id: string, options?: RequestOptions): Promise<Result<'getSubscription'>>;
  /** Pause, resume or cancel a subscription, or change its interval or address. Requires a key with `subscriptions:write`. */
  manageSubscription(id: string, body: Body<'manageSubscription'>, options?: IdempotentOptions): Promise<Result<'manageSubscription'>>;
  /** Undo a cancellation at the end of the period. Requires a key with `subscriptions:write`. */
  reactivateSubscription(id: string, options?: IdempotentOptions): Promise<Result<'reactivateSubscription'>>;
  /** Submit a wholesale inquiry. */
  createWholesaleInquiry(body: Body<'createWholesaleInquiry'>, options?: IdempotentOptions): Promise<Result<'createWholesaleInquiry'>>;
}

export const storefrontOperations: OperationTable = {
  sendAnalyticsEvents: { at: 'POST /api/v1/analytics/events', input: 'body' },
  createBillingPortalSession: { at: 'POST /api/v1/billing-portal', input: 'body' },
  createCart: { at: 'POST /api/v1/cart', input: 'body', isIdempotent: true },
  previewGiftCard: { at: 'POST /api/v1/cart/apply-gift-card', input: 'body' },
  previewPromoCode: { at: 'POST /api/v1/cart/apply-promo', input: 'body' },
  restoreCart: { at: 'GET /api/v1/cart/restore', input: 'query' },
  restoreCartByPost: { at: 'POST /api/v1/cart/restore', input: 'body' },
  saveCart: { at: 'POST /api/v1/cart/save', input: 'body' },
  getReminderSubscription: { at: 'GET /api/v1/cart/unsubscribe', input: 'query' },
  unsubscribeFromReminders: { at: 'POST /api/v1/cart/unsubscribe', input: 'body' },
  getCart: { at: 'GET /api/v1/cart/{id}' },
  addCartItem: { at: 'POST /api/v1/cart/{id}/items', input: 'body', isIdempotent: true },
  removeCartItem: { at: 'DELETE /api/v1/cart/{id}/items/{itemId}', isIdempotent: true },
  updateCartItem: { at: 'PATCH /api/v1/cart/{id}/items/{itemId}', input: 'body', isIdempotent: true },
  createCheckoutSession: { at: 'POST /api/v1/checkout/sessions', input: 'body', isIdempotent: true, needs: 'key' },
  getCheckoutStatus: { at: 'GET /api/v1/checkout/{orderId}/status' },
  listActiveAnnouncements: { at: 'GET /api/v1/content/announcements/active', input: 'query', items: 'entries' },
  listEntries: { at: 'GET /api/v1/content/{type}', input: 'query', items: 'entries' },
  getEntry: { at: 'GET /api/v1/content/{type}/{slug}' },
  getCustomerPortal: { at: 'GET /api/v1/customer-portal', needs: 'session' },
  requestCustomerPortalLink: { at: 'POST /api/v1/customer-portal', input: 'body' },
  cancelSubscription: { at: 'POST /api/v1/customer-portal/cancel', input: 'body', needs: 'session' },
  listCustomerOrders: { at: 'GET /api/v1/customer-portal/orders', input: 'query', items: 'orders', needs: 'session' },
  getCustomerOrder: { at: 'GET /api/v1/customer-portal/orders/{id}', needs: 'session' },
  listCustomerReturns: { at: 'GET /api/v1/customer-portal/returns', input: 'query', items: 'returns', needs: 'session' },
  createCustomerReturn: { at: 'POST /api/v1/customer-portal/returns', input: 'body', isIdempotent: true, needs: 'session' },
  listCustomerSubscriptions: { at: 'GET /api/v1/customer-portal/subscriptions', input: 'query', items: 'subscriptions', needs: 'session' },
  consumeMagicLink: { at: 'POST /api/v1/customer/magic-link/consume', input: 'body' },
  requestMagicLink: { at: 'POST /api/v1/customer/magic-link/request', input: 'body' },
  getCustomer: { at: 'GET /api/v1/customer/me', needs: 'session' },
  refreshSession: { at: 'POST /api/v1/customer/refresh', input: 'body' },
  signOut: { at: 'POST /api/v1/customer/signout', needs: 'session' },
  listStock: { at: 'GET /api/v1/inventory', input: 'query' },
  getProductStock: { at: 'GET /api/v1/inventory/{slug}' },
  createLead: { at: 'POST /api/v1/leads', input: 'body' },
  submitQuiz: { at: 'POST /api/v1/leads/quiz', input: 'body' },
  joinWaitlist: { at: 'POST /api/v1/leads/waitlist', input: 'body' },
  createWholesaleLead: { at: 'POST /api/v1/leads/wholesale', input: 'body' },
  lookUpOrder: { at: 'GET /api/v1/orders/lookup', input: 'query' },
  getOrder: { at: 'GET /api/v1/orders/{orderId}', input: 'query' },
  applyAsPartner: { at: 'POST /api/v1/partners/apply', input: 'body', isIdempotent: true },
  trackReferral: { at: 'POST /api/v1/partners/track', input: 'body' },
  getPartner: { at: 'GET /api/v1/partners/{code}' },
  listProducts: { at: 'GET /api/v1/products', input: 'query', items: 'products' },
  getProduct: { at: 'GET /api/v1/products/{slug}' },
  listProductImages: { at: 'GET /api/v1/products/{slug}/images' },
  listProductReviews: { at: 'GET /api/v1/products/{slug}/reviews', input: 'query', items: 'reviews' },
  createProductReview: { at: 'POST /api/v1/products/{slug}/reviews', input: 'body', isIdempotent: true },
  createReturn: { at: 'POST /api/v1/returns', input: 'body', isIdempotent: true },
  search: { at: 'GET /api/v1/search', input: 'query', items: 'results' },
  quoteShippingRates: { at: 'POST /api/v1/shipping/rates', input: 'body' },
  getStorefront: { at: 'GET /api/v1/storefront' },
  createGiftCheckoutSession: { at: 'POST /api/v1/subscriptions/gift-checkout', input: 'body', isIdempotent: true, needs: 'key' },
  getSubscription: { at: 'GET /api/v1/subscriptions/{id}', needs: 'key' },
  manageSubscription: { at: 'POST /api/v1/subscriptions/{id}/manage', input: 'body', isIdempotent: true, needs: 'key' },
  reactivateSubscription: { at: 'POST /api/v1/subscriptions/{id}/reactivate', isIdempotent: true, needs: 'key' },
  createWholesaleInquiry: { at: 'POST /api/v1/wholesale', input: 'body', isIdempotent: true },
};
