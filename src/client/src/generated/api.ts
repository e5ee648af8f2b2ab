// Generated from the API document by `npm run client:types`. Do not edit.

export interface paths {
    "/api/v1/admin/analytics/daily": {
        /** Read the events, sessions, orders and revenue of each day. */
        get: operations["admin.getDailyAnalytics"];
    };
    "/api/v1/admin/analytics/funnel": {
        /** Read the funnel: sessions that reached each step, from viewing a product to a paid order. */
        get: operations["admin.getFunnel"];
    };
    "/api/v1/admin/analytics/zero-result-searches": {
        /** List the searches without results of the last 90 days, the most frequent first. */
        get: operations["admin.listZeroResultSearches"];
    };
    "/api/v1/admin/audit-log": {
        /** List the audit log, newest first, optionally of one subject. */
        get: operations["admin.listAuditLog"];
    };
    "/api/v1/admin/bulk-changes": {
        /** List the bulk changes that the caller may read, newest first. */
        get: operations["admin.listBulkChanges"];
        /** Preview a bulk change. Nothing changes until it is run. */
        post: operations["admin.previewBulkChange"];
    };
    "/api/v1/admin/bulk-changes/{id}": {
        /** Read a bulk change and its progress. */
        get: operations["admin.getBulkChange"];
    };
    "/api/v1/admin/bulk-changes/{id}/cancel": {
        /** Cancel a bulk change. Changes that were already made stay. */
        post: operations["admin.cancelBulkChange"];
    };
    "/api/v1/admin/bulk-changes/{id}/errors": {
        /** Download what was rejected as CSV, each with its id, its name and the reason. */
        get: operations["admin.listBulkChangeErrors"];
    };
    "/api/v1/admin/bulk-changes/{id}/run": {
        /** Run a bulk change for what its preview selected. Running it again changes nothing. */
        post: operations["admin.runBulkChange"];
    };
    "/api/v1/admin/bulk-changes/{id}/undo": {
        /** Undo a bulk change of prices, tags, status or stock by another one, which runs immediately. */
        post: operations["admin.undoBulkChange"];
    };
    "/api/v1/admin/content": {
        /** List content entries including drafts, newest first. */
        get: operations["admin.listEntries"];
        /** Create a content entry. */
        post: operations["admin.createEntry"];
    };
    "/api/v1/admin/content/{type}/{slug}": {
        /** Read a content entry, published or not. */
        get: operations["admin.getEntry"];
        /** Replace a content entry. */
        put: operations["admin.replaceEntry"];
        /** Remove a content entry. */
        delete: operations["admin.deleteEntry"];
    };
    "/api/v1/admin/customers": {
        /** List customers, newest first. */
        get: operations["admin.listCustomers"];
    };
    "/api/v1/admin/customers/{id}": {
        /** Read a customer with their latest orders, subscriptions and returns. */
        get: operations["admin.getCustomer"];
    };
    "/api/v1/admin/erasures": {
        /** List the erasures of people, newest first. They are retained for 30 days, and in the audit log for ever. */
        get: operations["admin.listErasures"];
        /** Preview the erasure of a person, with or without a customer. Nothing is erased until it is run. */
        post: operations["admin.previewErasure"];
    };
    "/api/v1/admin/erasures/{id}": {
        /** Read an erasure: what it will do, its progress, and what it did. */
        get: operations["admin.getErasure"];
    };
    "/api/v1/admin/erasures/{id}/run": {
        /** Erase the person, which cannot be undone. Running it again continues what was blocked, or changes nothing. */
        post: operations["admin.runErasure"];
    };
    "/api/v1/admin/exports": {
        /** List the exports that the caller may read, newest first. */
        get: operations["admin.listExports"];
        /** Export to a file. */
        post: operations["admin.createExport"];
    };
    "/api/v1/admin/exports/{id}": {
        /** Read an export, with the link to its file once it is completed. */
        get: operations["admin.getExport"];
    };
    "/api/v1/admin/exports/{id}/cancel": {
        /** Cancel an export that is not completed. */
        post: operations["admin.cancelExport"];
    };
    "/api/v1/admin/gift-cards": {
        /** List gift cards, newest first. Codes are not stored and cannot be shown. */
        get: operations["admin.listGiftCards"];
        /** Create a gift card. Its code is only returned here. */
        post: operations["admin.createGiftCard"];
    };
    "/api/v1/admin/gift-cards/{id}/disable": {
        /** Disable a gift card. Open checkouts keep the amount that they hold. */
        post: operations["admin.disableGiftCard"];
    };
    "/api/v1/admin/imports": {
        /** List the imports that the key may read, newest first. */
        get: operations["admin.listImports"];
        /** Import a file. */
        post: operations["admin.createImport"];
    };
    "/api/v1/admin/imports/{id}": {
        /** Read an import and its progress. */
        get: operations["admin.getImport"];
    };
    "/api/v1/admin/imports/{id}/cancel": {
        /** Cancel an import. Rows that were already imported stay. */
        post: operations["admin.cancelImport"];
    };
    "/api/v1/admin/imports/{id}/errors": {
        /** Download the rejected rows as CSV. */
        get: operations["admin.listImportErrors"];
    };
    "/api/v1/admin/integrations": {
        /** List connections to third parties, newest first. */
        get: operations["admin.listIntegrations"];
        /** Start connecting the store to a third party. Returns the consent URL to open and the webhook credentials. */
        post: operations["admin.createIntegration"];
    };
    "/api/v1/admin/integrations/{id}": {
        /** Read the status of a connection, without the data received. */
        get: operations["admin.getIntegration"];
    };
    "/api/v1/admin/integrations/{id}/reveal": {
        /** Reveal the data received from the third party, such as an authorization code. Null until it arrives. */
        post: operations["admin.revealIntegration"];
    };
    "/api/v1/admin/keys": {
        /** List the API keys of the store, including revoked ones, oldest first. */
        get: operations["admin.listKeys"];
        /** Create an API key. Its value is only returned here. */
        post: operations["admin.createKey"];
    };
    "/api/v1/admin/keys/{id}/revoke": {
        /** Revoke an API key. Takes effect everywhere within five seconds. */
        post: operations["admin.revokeKey"];
    };
    "/api/v1/admin/labels": {
        /** List labels, newest first. `?state=needs_attention` lists those that need attention. */
        get: operations["admin.listLabels"];
    };
    "/api/v1/admin/labels/{id}/file": {
        /** Read a link to a label's PDF that is valid now. An earlier `label_url` may have expired. */
        get: operations["admin.getLabelFile"];
    };
    "/api/v1/admin/labels/{id}/retry": {
        /** Retry a label with a fresh quote, also to other countries. A purchase whose outcome is unknown is looked up first. */
        post: operations["admin.retryLabel"];
    };
    "/api/v1/admin/labels/{id}/void": {
        /** Void a label and refund its price. The order then has no label. */
        post: operations["admin.voidLabel"];
    };
    "/api/v1/admin/leads": {
        /** List leads, newest first. */
        get: operations["admin.listLeads"];
    };
    "/api/v1/admin/modules": {
        /** Read which modules are enabled for the store. */
        get: operations["admin.listModules"];
    };
    "/api/v1/admin/orders": {
        /** List orders, newest first. `?needs_attention=true` lists those that need attention, `?updated_since=…` those that changed since then, the latest change last. */
        get: operations["admin.listOrders"];
    };
    "/api/v1/admin/orders/{id}": {
        /** Read an order with its label, refunds, timeline, and what to do if it needs attention. */
        get: operations["admin.getOrder"];
    };
    "/api/v1/admin/orders/{id}/attention/dismiss": {
        /** Dismiss a flag of an order. Its code is required, so that a newer one is not dismissed. */
        post: operations["admin.dismissOrderAttention"];
    };
    "/api/v1/admin/orders/{id}/email": {
        /** Correct the email of an order, its returns and the subscriptions that it began. No email is sent. */
        put: operations["admin.replaceOrderEmail"];
    };
    "/api/v1/admin/orders/{id}/label": {
        /** Buy a label, also to other countries: at a rate, even above the cost cap, or at the cheapest. */
        post: operations["admin.buyLabel"];
    };
    "/api/v1/admin/orders/{id}/rates": {
        /** Quote the rates of an order, also to other countries, the cheapest first. */
        get: operations["admin.quoteOrderRates"];
    };
    "/api/v1/admin/orders/{id}/receipt": {
        /** Resend the receipt of a paid order to its shopper. */
        post: operations["admin.resendReceipt"];
    };
    "/api/v1/admin/orders/{id}/refunds": {
        /** Refund an order. A worker issues the refund; the part that was paid with a gift card is returned last. */
        post: operations["admin.refundOrder"];
    };
    "/api/v1/admin/orders/{id}/ship": {
        /** Mark an order as shipped by hand. No label is bought, and the shopper is notified. */
        post: operations["admin.shipOrder"];
    };
    "/api/v1/admin/orders/{id}/ship/cancel": {
        /** Undo marking an order as shipped by hand. Parcels entered by hand are removed. No email is sent. */
        post: operations["admin.cancelShipment"];
    };
    "/api/v1/admin/orders/{id}/shipping-address": {
        /** Correct the shipping address of an order. This does not retry its label. */
        put: operations["admin.replaceShippingAddress"];
    };
    "/api/v1/admin/orders/{id}/tracking/correct": {
        /** Correct or remove a tracking number that was entered by hand. The shopper is sent a new one. */
        post: operations["admin.correctTracking"];
    };
    "/api/v1/admin/overview": {
        /** Read what needs attention in the store, and what to do about it. */
        get: operations["admin.getOverview"];
    };
    "/api/v1/admin/partner-applications": {
        /** List partner applications, newest first. */
        get: operations["admin.listPartnerApplications"];
    };
    "/api/v1/admin/partners": {
        /** List partners with their sales, newest first. */
        get: operations["admin.listPartners"];
        /** Create a partner, or update the one with this code. Omitted fields are set to their defaults. */
        post: operations["admin.savePartner"];
    };
    "/api/v1/admin/partners/{code}": {
        /** Remove a partner: no further order is attributed to them. Open checkouts keep their discount. */
        delete: operations["admin.deletePartner"];
    };
    "/api/v1/admin/payments/webhook-secret/rotations": {
        /** Start rotating the payment provider's webhook secret. A one-time code is emailed to the owner, unless a member of the staff starts it. */
        post: operations["admin.startSecretRotation"];
    };
    "/api/v1/admin/payments/webhook-secret/rotations/{id}/confirm": {
        /** Confirm the rotation and read the new secret. It can be read again for ten minutes. */
        post: operations["admin.confirmSecretRotation"];
    };
    "/api/v1/admin/personal-data-exports": {
        /** Export everything that is stored about an email to a file, with or without a customer. */
        post: operations["admin.exportPersonalData"];
    };
    "/api/v1/admin/products": {
        /** List products including drafts, newest first. */
        get: operations["admin.listProducts"];
        /** Create a product with its variants. */
        post: operations["admin.createProduct"];
    };
    "/api/v1/admin/products/{slug}": {
        /** Read a product, published or not. */
        get: operations["admin.getProduct"];
        /** Replace a product. Omitted variants are removed. Stock is set only for new variants. */
        put: operations["admin.replaceProduct"];
        /** Remove a product. */
        delete: operations["admin.deleteProduct"];
    };
    "/api/v1/admin/promo-codes": {
        /** List promo codes with their usage, newest first. */
        get: operations["admin.listPromoCodes"];
        /** Create a promo code. */
        post: operations["admin.createPromoCode"];
    };
    "/api/v1/admin/promo-codes/{code}": {
        /** Replace a promo code. Its usage stays counted. */
        put: operations["admin.replacePromoCode"];
        /** Remove a promo code. Open checkouts that use it keep their discount. */
        delete: operations["admin.deletePromoCode"];
    };
    "/api/v1/admin/providers": {
        /** Read the store's accounts at its providers, without their secrets. */
        get: operations["admin.getProviders"];
    };
    "/api/v1/admin/providers/payments": {
        /** Save the account at the payment provider. Omitted secrets do not change; null removes the key. */
        put: operations["admin.savePaymentProvider"];
    };
    "/api/v1/admin/providers/payments/confirmations": {
        /** Email the owner the one-time password for replacing stored credentials. The body is that of the PUT. */
        post: operations["admin.requestPaymentConfirmation"];
    };
    "/api/v1/admin/providers/second-shipping": {
        /** Save the account at the second parcel provider. It is stored and checked, and not used for labels. */
        put: operations["admin.saveSecondShippingProvider"];
    };
    "/api/v1/admin/providers/second-shipping/confirmations": {
        /** Email the owner the one-time password for replacing stored credentials. The body is that of the PUT. */
        post: operations["admin.requestSecondShippingConfirmation"];
    };
    "/api/v1/admin/providers/shipping": {
        /** Save the account at the parcel provider and the shipping terms. Omitted secrets do not change. */
        put: operations["admin.saveShippingProvider"];
    };
    "/api/v1/admin/providers/shipping/confirmations": {
        /** Email the owner the one-time password for replacing stored credentials. The body is that of the PUT. */
        post: operations["admin.requestShippingConfirmation"];
    };
    "/api/v1/admin/providers/{kind}/check": {
        /** Check whether the stored key opens the account at a provider. */
        post: operations["admin.checkProvider"];
    };
    "/api/v1/admin/reminder-settings": {
        /** Read the settings of reminders. */
        get: operations["admin.getReminderSettings"];
        /** Replace the settings of reminders. Omitted fields are set to their defaults. */
        put: operations["admin.saveReminderSettings"];
    };
    "/api/v1/admin/reminders": {
        /** List the decisions about reminders of saved carts with their reasons, newest first. */
        get: operations["admin.listReminders"];
    };
    "/api/v1/admin/returns": {
        /** List returns, newest first. `?status=requested` lists those to decide. */
        get: operations["admin.listReturns"];
    };
    "/api/v1/admin/returns/{id}/approve": {
        /** Approve a return. */
        post: operations["admin.approveReturn"];
    };
    "/api/v1/admin/returns/{id}/close": {
        /** Close a return that was refunded or replaced, or whose goods never arrived. */
        post: operations["admin.closeReturn"];
    };
    "/api/v1/admin/returns/{id}/receive": {
        /** Record that the goods of a return were received. Their stock is not changed. */
        post: operations["admin.receiveReturn"];
    };
    "/api/v1/admin/returns/{id}/refund": {
        /** Refund a return: what was paid for the goods, or an amount. A worker issues the refund. */
        post: operations["admin.refundReturn"];
    };
    "/api/v1/admin/returns/{id}/reject": {
        /** Reject a return. Its items can be requested in another return. */
        post: operations["admin.rejectReturn"];
    };
    "/api/v1/admin/reviews": {
        /** List reviews, newest first. `?status=pending` lists those to moderate. */
        get: operations["admin.listReviews"];
    };
    "/api/v1/admin/reviews/{id}/approve": {
        /** Approve a review. */
        post: operations["admin.approveReview"];
    };
    "/api/v1/admin/reviews/{id}/reject": {
        /** Reject a review. */
        post: operations["admin.rejectReview"];
    };
    "/api/v1/admin/second-factor/totp": {
        /** Start setting up an authenticator app. Its secret is only returned here. */
        post: operations["admin.startTotp"];
        /** Remove the authenticator app and its recovery codes. Codes are emailed again. */
        delete: operations["admin.removeTotp"];
    };
    "/api/v1/admin/second-factor/totp/confirm": {
        /** Confirm the authenticator app with one of its codes. The recovery codes are only returned here. */
        post: operations["admin.confirmTotp"];
    };
    "/api/v1/admin/session": {
        /** Read who is signed in and what they may do. */
        get: operations["admin.getSession"];
    };
    "/api/v1/admin/session/sign-out": {
        /** Sign out. The session ends at once. */
        post: operations["admin.signOut"];
    };
    "/api/v1/admin/session/verification": {
        /** Verify the session for ten minutes, with a code of the authenticator app, a recovery code or an emailed one. */
        post: operations["admin.verifySession"];
    };
    "/api/v1/admin/session/verification/email": {
        /** Email a code that verifies this session, to a member without an authenticator app. */
        post: operations["admin.emailVerificationCode"];
    };
    "/api/v1/admin/sessions": {
        /** List one's own open sessions, or with `admin.staff:read` those of a member, newest first. */
        get: operations["admin.listSessions"];
    };
    "/api/v1/admin/sessions/{id}/revoke": {
        /** End one of one's own sessions, or with `admin.staff:write` one of another member. */
        post: operations["admin.revokeSession"];
    };
    "/api/v1/admin/sign-in/consume": {
        /** Sign in with the token of an emailed link, which works once. Sets the cookie of the session. */
        post: operations["admin.signIn"];
    };
    "/api/v1/admin/sign-in/request": {
        /** Email a sign-in link if the address belongs to the staff of the store. The response is the same either way. */
        post: operations["admin.requestSignInLink"];
    };
    "/api/v1/admin/staff": {
        /** List the staff of the store, including revoked members, oldest first. */
        get: operations["admin.listStaff"];
        /** Invite a member, or invite one again. They are emailed a link to sign in, which is valid for three days. */
        post: operations["admin.inviteStaff"];
    };
    "/api/v1/admin/staff/{id}": {
        /** Change the name or the role of a member. Omitted fields do not change. */
        patch: operations["admin.updateStaff"];
    };
    "/api/v1/admin/staff/{id}/revoke": {
        /** Revoke a member. Their sessions end at once. */
        post: operations["admin.revokeStaff"];
    };
    "/api/v1/admin/stock": {
        /** Set or adjust the stock of variants, all or nothing. */
        put: operations["admin.changeStock"];
    };
    "/api/v1/admin/stock/movements": {
        /** List the stock movements of a variant, newest first. */
        get: operations["admin.listStockMovements"];
    };
    "/api/v1/admin/store": {
        /** Read the store's settings. */
        get: operations["admin.getStore"];
        /** Replace the store's settings. Omitted fields are set to their defaults. */
        put: operations["admin.saveStore"];
    };
    "/api/v1/admin/subscriptions": {
        /** List the subscriptions of the store, newest first. */
        get: operations["admin.listSubscriptions"];
    };
    "/api/v1/admin/subscriptions/{id}": {
        /** Read a subscription. */
        get: operations["admin.getSubscription"];
    };
    "/api/v1/admin/subscriptions/{id}/manage": {
        /** Pause, resume or cancel a subscription, or change its interval or address, as its customer can. */
        post: operations["admin.manageSubscription"];
    };
    "/api/v1/admin/subscriptions/{id}/reactivate": {
        /** Undo a cancellation at the end of the period. */
        post: operations["admin.reactivateSubscription"];
    };
    "/api/v1/admin/suppressions": {
        /** List suppressed email addresses: they bounced and get no more email. */
        get: operations["admin.listSuppressions"];
    };
    "/api/v1/admin/suppressions/release": {
        /** Remove an email address from the suppression list. */
        post: operations["admin.releaseSuppression"];
    };
    "/api/v1/admin/waitlist": {
        /** List the waitlist entries of sold-out products, newest first. */
        get: operations["admin.listWaitlist"];
    };
    "/api/v1/admin/webhook-deliveries/{id}": {
        /** Read a delivery: its attempts, their responses, and what it sends. */
        get: operations["admin.getWebhookDelivery"];
    };
    "/api/v1/admin/webhook-deliveries/{id}/redeliver": {
        /** Redeliver a webhook now, starting the retry schedule over. */
        post: operations["admin.redeliverWebhook"];
    };
    "/api/v1/admin/webhook-endpoints": {
        /** List webhook endpoints, newest first. */
        get: operations["admin.listWebhookEndpoints"];
        /** Create a webhook endpoint. Its signing secret is returned only here. */
        post: operations["admin.createWebhookEndpoint"];
    };
    "/api/v1/admin/webhook-endpoints/{id}": {
        /** Read a webhook endpoint. */
        get: operations["admin.getWebhookEndpoint"];
        /** Delete a webhook endpoint and its deliveries. */
        delete: operations["admin.deleteWebhookEndpoint"];
        /** Update a webhook endpoint. Omitted fields do not change. */
        patch: operations["admin.updateWebhookEndpoint"];
    };
    "/api/v1/admin/webhook-endpoints/{id}/deliveries": {
        /** List the deliveries of a webhook endpoint, newest first. */
        get: operations["admin.listWebhookDeliveries"];
    };
    "/api/v1/admin/webhook-endpoints/{id}/disable": {
        /** Disable a webhook endpoint. Its pending deliveries are discarded and can be recovered. */
        post: operations["admin.disableWebhookEndpoint"];
    };
    "/api/v1/admin/webhook-endpoints/{id}/enable": {
        /** Enable a webhook endpoint and reset its failures. What it missed can be recovered. */
        post: operations["admin.enableWebhookEndpoint"];
    };
    "/api/v1/admin/webhook-endpoints/{id}/recover": {
        /** Redeliver what an endpoint missed in a time range: at most 50,000 per call. */
        post: operations["admin.recoverWebhookDeliveries"];
    };
    "/api/v1/admin/webhook-endpoints/{id}/rotate-secret": {
        /** Rotate the signing secret. The new one is returned only here. Up to five old ones sign for another day. */
        post: operations["admin.rotateWebhookSecret"];
    };
    "/api/v1/admin/webhook-endpoints/{id}/test": {
        /** Send a webhook.test event to an endpoint. */
        post: operations["admin.testWebhookEndpoint"];
    };
    "/api/v1/admin/webhook-event-types": {
        /** List the event types, with the JSON Schema of each body and an example. */
        get: operations["admin.listWebhookEventTypes"];
    };
    "/api/v1/admin/wholesale-inquiries": {
        /** List wholesale inquiries, newest first. */
        get: operations["admin.listWholesaleInquiries"];
    };
    "/api/v1/analytics/events": {
        /** Send a batch of storefront events. Invalid events are listed in the response. */
        post: operations["sendAnalyticsEvents"];
    };
    "/api/v1/billing-portal": {
        /** Create a link to the page where customers manage their subscriptions. */
        post: operations["createBillingPortalSession"];
    };
    "/api/v1/cart": {
        /** Create a cart. It expires after 30 days. */
        post: operations["createCart"];
    };
    "/api/v1/cart/apply-gift-card": {
        /** Preview what a gift card pays of an order. */
        post: operations["previewGiftCard"];
    };
    "/api/v1/cart/apply-promo": {
        /** Preview a promo code on a cart. */
        post: operations["previewPromoCode"];
    };
    "/api/v1/cart/restore": {
        /** Restore a saved cart with the token of a reminder. */
        get: operations["restoreCart"];
        /** Restore a saved cart with the token of a reminder, in the body or the query. */
        post: operations["restoreCartByPost"];
    };
    "/api/v1/cart/save": {
        /** Save a cart for an email address and schedule reminders. */
        post: operations["saveCart"];
    };
    "/api/v1/cart/unsubscribe": {
        /** Read whether an email gets reminders, as a page for browsers. With confirm=1, unsubscribe it. */
        get: operations["getReminderSubscription"];
        /** Unsubscribe an email from reminders. Supports one-click unsubscription (RFC 8058). */
        post: operations["unsubscribeFromReminders"];
    };
    "/api/v1/cart/{id}": {
        /** Read a cart with current prices. */
        get: operations["getCart"];
    };
    "/api/v1/cart/{id}/items": {
        /** Add an item to a cart. An equal item increases the quantity of its line. */
        post: operations["addCartItem"];
    };
    "/api/v1/cart/{id}/items/{itemId}": {
        /** Remove an item from a cart. */
        delete: operations["removeCartItem"];
        /** Change the quantity or purchase type of a cart item. Quantity 0 removes it. */
        patch: operations["updateCartItem"];
    };
    "/api/v1/checkout/sessions": {
        /** Create a pending order and its hosted payment session. */
        post: operations["createCheckoutSession"];
    };
    "/api/v1/checkout/{orderId}/status": {
        /** Read the status of a checkout's order. */
        get: operations["getCheckoutStatus"];
    };
    "/api/v1/content/announcements/active": {
        /** List the active announcements. */
        get: operations["listActiveAnnouncements"];
    };
    "/api/v1/content/{type}": {
        /** List the published entries of a type, newest first. */
        get: operations["listEntries"];
    };
    "/api/v1/content/{type}/{slug}": {
        /** Read a published entry. */
        get: operations["getEntry"];
    };
    "/api/v1/customer-portal": {
        /** Read the latest orders, subscriptions and returns of the signed-in customer. */
        get: operations["getCustomerPortal"];
        /** Email a sign-in link to a customer. The response does not reveal whether the email is known. */
        post: operations["requestCustomerPortalLink"];
    };
    "/api/v1/customer-portal/cancel": {
        /** Cancel a subscription of the signed-in customer, at the end of the paid period or at once. */
        post: operations["cancelSubscription"];
    };
    "/api/v1/customer-portal/orders": {
        /** List the orders of the signed-in customer, newest first. */
        get: operations["listCustomerOrders"];
    };
    "/api/v1/customer-portal/orders/{id}": {
        /** Read an order of the signed-in customer. */
        get: operations["getCustomerOrder"];
    };
    "/api/v1/customer-portal/returns": {
        /** List the returns of the signed-in customer, newest first. */
        get: operations["listCustomerReturns"];
        /** Request a return for an order of the signed-in customer. */
        post: operations["createCustomerReturn"];
    };
    "/api/v1/customer-portal/subscriptions": {
        /** List the subscriptions of the signed-in customer, newest first. */
        get: operations["listCustomerSubscriptions"];
    };
    "/api/v1/customer/magic-link/consume": {
        /** Sign in with the token of an emailed link. It works once. */
        post: operations["consumeMagicLink"];
    };
    "/api/v1/customer/magic-link/request": {
        /** Email a sign-in link if a customer with this address exists. The response is the same either way. */
        post: operations["requestMagicLink"];
    };
    "/api/v1/customer/me": {
        /** Read the signed-in customer. */
        get: operations["getCustomer"];
    };
    "/api/v1/customer/refresh": {
        /** Renew a session for 15 minutes, with the session token or a refresh token. A refresh token is replaced. */
        post: operations["refreshSession"];
    };
    "/api/v1/customer/signout": {
        /** Sign out. The session and its refresh tokens stop working. */
        post: operations["signOut"];
    };
    "/api/v1/exports/{id}": {
        /** Download the file of an export, by the link that the export has for 24 hours. */
        get: operations["downloadExport"];
    };
    "/api/v1/integrations/{provider}/callback": {
        /** Receive the owner’s browser after consent at a third party, and redirect it to the return URL. */
        get: operations["completeIntegrationConsent"];
        /** Receive a call from a third party, signed per Standard Webhooks. It is stored, then handled by a job. */
        post: operations["receiveIntegrationCall"];
    };
    "/api/v1/inventory": {
        /** Read the stock status of up to 50 variants. Unknown ones are left out. */
        get: operations["listStock"];
    };
    "/api/v1/inventory/{slug}": {
        /** Read the stock status of each variant of a product. */
        get: operations["getProductStock"];
    };
    "/api/v1/leads": {
        /** Create a lead. The same email from the same source is the same lead. */
        post: operations["createLead"];
    };
    "/api/v1/leads/quiz": {
        /** Submit the answers to a quiz. */
        post: operations["submitQuiz"];
    };
    "/api/v1/leads/waitlist": {
        /** Join the waitlist of a product or variant. One email is sent when it is back in stock. */
        post: operations["joinWaitlist"];
    };
    "/api/v1/leads/wholesale": {
        /** Submit a wholesale inquiry, as a lead. */
        post: operations["createWholesaleLead"];
    };
    "/api/v1/orders/lookup": {
        /** Find an order by its number and email. */
        get: operations["lookUpOrder"];
    };
    "/api/v1/orders/{orderId}": {
        /** Read an order for its confirmation or account page. */
        get: operations["getOrder"];
    };
    "/api/v1/partners/apply": {
        /** Apply to become a partner. The store’s owner decides. */
        post: operations["applyAsPartner"];
    };
    "/api/v1/partners/track": {
        /** Track a referral. Orders of this session within the partner’s window are attributed to the partner. */
        post: operations["trackReferral"];
    };
    "/api/v1/partners/{code}": {
        /** Read a partner by code, with the discount that a checkout with this `partner_code` has. */
        get: operations["getPartner"];
    };
    "/api/v1/products": {
        /** List published products. */
        get: operations["listProducts"];
    };
    "/api/v1/products/{slug}": {
        /** Read a published product with its variants. */
        get: operations["getProduct"];
    };
    "/api/v1/products/{slug}/images": {
        /** List the images of a product. */
        get: operations["listProductImages"];
    };
    "/api/v1/products/{slug}/reviews": {
        /** List the approved reviews of a product, newest first. */
        get: operations["listProductReviews"];
        /** Submit a product review. */
        post: operations["createProductReview"];
    };
    "/api/v1/returns": {
        /** Request a return by order number and email. */
        post: operations["createReturn"];
    };
    "/api/v1/search": {
        /** Search products and content. */
        get: operations["search"];
    };
    "/api/v1/shipping/rates": {
        /** Quote live shipping rates for a destination and a weight. */
        post: operations["quoteShippingRates"];
    };
    "/api/v1/storefront": {
        /** Read the store configuration. */
        get: operations["getStorefront"];
    };
    "/api/v1/subscriptions/gift-checkout": {
        /** Buy some months of a subscription as a gift, paid at once. */
        post: operations["createGiftCheckoutSession"];
    };
    "/api/v1/subscriptions/{id}": {
        /** Read a subscription. */
        get: operations["getSubscription"];
    };
    "/api/v1/subscriptions/{id}/manage": {
        /** Pause, resume or cancel a subscription, or change its interval or address. */
        post: operations["manageSubscription"];
    };
    "/api/v1/subscriptions/{id}/reactivate": {
        /** Undo a cancellation at the end of the period. */
        post: operations["reactivateSubscription"];
    };
    "/api/v1/wholesale": {
        /** Submit a wholesale inquiry. */
        post: operations["createWholesaleInquiry"];
    };
}
export interface webhooks {
    "order.paid": {
        /** The payment has arrived and the order is recorded as paid. The authoritative paid signal. */
        post: operations["onOrderPaid"];
    };
    "order.shipped": {
        /** The first parcel of the order is on its way. */
        post: operations["onOrderShipped"];
    };
    "order.payment_failed": {
        /** A pending payment has failed. */
        post: operations["onOrderPaymentFailed"];
    };
    "order.expired": {
        /** The order was not paid in time. Its stock, promo codes and gift cards are released. */
        post: operations["onOrderExpired"];
    };
    "order.refunded": {
        /** The order was refunded, fully or in part. */
        post: operations["onOrderRefunded"];
    };
    "order.delivered": {
        /** The parcel was delivered. */
        post: operations["onOrderDelivered"];
    };
    "order.disputed": {
        /** The shopper's bank disputes the payment, or inquires about it. Respond at the payment provider before its deadline. */
        post: operations["onOrderDisputed"];
    };
    "order.dispute_closed": {
        /** No dispute of the payment is open any more: `dispute_status` is `won` or `lost`. */
        post: operations["onOrderDisputeClosed"];
    };
    "order.updated": {
        /** A paid order has changed in a way that no other event of it or of its label says: its address, its parcels, its fulfillment, or a refund that failed. Or the personal data of an order, paid or not, was erased. */
        post: operations["onOrderUpdated"];
    };
    "subscription.created": {
        /** A subscription has begun. */
        post: operations["onSubscriptionCreated"];
    };
    "subscription.updated": {
        /** A subscription has changed. */
        post: operations["onSubscriptionUpdated"];
    };
    "subscription.canceled": {
        /** A subscription has ended. */
        post: operations["onSubscriptionCanceled"];
    };
    "label.purchased": {
        /** A shipping label was bought. */
        post: operations["onLabelPurchased"];
    };
    "label.needs_attention": {
        /** A shipping label could not be bought automatically. */
        post: operations["onLabelNeedsAttention"];
    };
    "label.voided": {
        /** A shipping label was voided. Its parcel must not be sent. */
        post: operations["onLabelVoided"];
    };
    "label.skipped": {
        /** No shipping label is bought after all: the order was sent by hand, or refunded. */
        post: operations["onLabelSkipped"];
    };
    "return.requested": {
        /** A shopper requested a return. */
        post: operations["onReturnRequested"];
    };
    "return.updated": {
        /** The status of a return has changed. */
        post: operations["onReturnUpdated"];
    };
    "customer.erased": {
        /** The personal data of a customer was erased: erase your copy, too. The orders, returns and subscriptions have events of their own. */
        post: operations["onCustomerErased"];
    };
    "webhook.test": {
        /** A test event that the owner requested. Its object is the endpoint itself. */
        post: operations["onWebhookTest"];
    };
}
export interface components {
    schemas: {
        AnalyticsEvent: {
            /** @description A UUID. An event that is sent repeatedly is counted once. */
            event_id?: string | null;
            type: string;
            occurred_at?: components["schemas"]["Timestamp"] | null;
            session_id?: string | null;
            anonymous_id?: string | null;
            customer_id?: string | null;
            order_id?: string | null;
            cart_id?: string | null;
            product_slug?: string | null;
            variant_id?: string | null;
            value_cents?: number | null;
            currency?: string | null;
            /** @description Any JSON object, at most 4 KB. */
            properties?: {
                [key: string]: unknown;
            } | null;
        };
        AnalyticsEvents: {
            events: components["schemas"]["AnalyticsEvent"][];
            /** @description The sender's current time. It is used to correct `occurred_at` if the sender's clock is wrong. */
            sent_at?: string | null;
        };
        ApiKey: {
            id: string;
            name: string;
            kind: "secret" | "publishable";
            scopes: string[];
            hint: string;
            requests_per_minute: number | null;
            expires_at: components["schemas"]["Timestamp"] | null;
            revoked_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
        };
        Attention: {
            code: string;
            detail: string;
            next: string;
            /** @description The areas of which a member needs `write` to do all of it. */
            areas: ("orders" | "refunds" | "labels" | "returns" | "customers" | "catalog" | "content" | "promotions" | "webhooks" | "analytics" | "settings" | "staff")[];
        };
        AuditEntry: {
            id: string;
            actor: {
                kind: string;
                id: string;
                name: string | null;
            };
            action: string;
            subject: {
                kind: string;
                id: string;
            };
            /** @description The subject before the change, without secrets and emails. */
            before: unknown;
            /** @description The subject after the change. `changed` lists the changed fields, including those that are never shown. */
            after: unknown;
            request_id: string | null;
            created_at: components["schemas"]["Timestamp"];
        };
        BulkChange: {
            id: string;
            kind: "prices" | "tags" | "status" | "stock" | "label_retries" | "subscription_cancellations" | "emails";
            filter: {
                [key: string]: unknown;
            } | null;
            change: {
                [key: string]: unknown;
            };
            state: "previewed" | "queued" | "running" | "completed" | "failed" | "canceled";
            failure: string | null;
            rows: {
                total: number;
                done: number;
                failed: number;
            };
            changes: {
                updated: number;
                unchanged: number;
            };
            samples: {
                subject: string;
                action: "updated" | "unchanged" | "rejected";
                values: {
                    [key: string]: unknown[];
                };
                problem: string | null;
            }[];
            can_undo: boolean;
            undo_of: string | null;
            undone_by: string | null;
            rows_per_second: number | null;
            created_at: components["schemas"]["Timestamp"];
            started_at: components["schemas"]["Timestamp"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
        };
        Cart: {
            id: string;
            status: "active" | "converted" | "expired";
            currency: string;
            sessionId: string | null;
            customerId: string | null;
            items: components["schemas"]["CartLine"][];
            itemCount: number;
            subtotalCents: number;
            version: number;
            expiresAt: components["schemas"]["Timestamp"];
            createdAt: components["schemas"]["Timestamp"];
            updatedAt: components["schemas"]["Timestamp"];
        };
        CartLine: {
            id: string;
            variantId: string | null;
            productId: string;
            productSlug: string;
            name: string;
            variantName: string;
            sku: string;
            imageUrl: string | null;
            quantity: number;
            unitPriceCents: number;
            lineTotalCents: number;
            purchaseType: "one_time" | "subscription";
            subscriptionInterval: ("month" | "quarter") | null;
            stockStatus: "in_stock" | "low_stock" | "out_of_stock" | "backorder";
            maxQuantity: number;
            priceChanged: boolean;
        };
        CheckoutSession: {
            checkout_url: string;
            expires_at: components["schemas"]["Timestamp"];
            order: {
                id: string;
                order_number: string;
                status: "pending" | "paid" | "payment_failed" | "expired" | "canceled" | "partially_refunded" | "refunded";
                currency: string;
                total_cents: number;
            };
            order_id: string;
            order_number: string;
        };
        CheckoutStatus: {
            order_id: string;
            order_number: string;
            status: "pending" | "paid" | "payment_failed" | "expired" | "canceled" | "partially_refunded" | "refunded";
            payment_status: "unpaid" | "processing" | "paid" | "failed" | "partially_refunded" | "refunded";
            fulfillment_status: "unfulfilled" | "label_purchased" | "shipped" | "delivered" | "returned" | "exception" | "needs_attention" | "not_required";
            paid_at: components["schemas"]["Timestamp"] | null;
            tracking: {
                carrier: string;
                tracking_number: string;
                tracking_url: string | null;
                /** @description One of unknown, pre_transit, transit, failure, delivered, returned. */
                status: string | null;
            }[];
            /** @description The recommended time until the next poll, in milliseconds. */
            poll_after_ms: number;
        };
        ContentEntry: {
            id: string;
            type: string;
            slug: string;
            title: string;
            summary: string | null;
            body: {
                format: "markdown" | "html" | "text";
                value: string;
            };
            tags: string[];
            image: {
                url: string;
                alt: string | null;
                width: number | null;
                height: number | null;
            } | null;
            author: string | null;
            starts_at: components["schemas"]["Timestamp"] | null;
            ends_at: components["schemas"]["Timestamp"] | null;
            published_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        Customer: {
            id: string;
            email: components["schemas"]["Email"];
            name: string | null;
        };
        CustomerHistory: {
            customer: components["schemas"]["KnownCustomer"];
            orders: components["schemas"]["Order"][];
            subscriptions: components["schemas"]["Subscription"][];
            returns: components["schemas"]["Return"][];
        };
        CustomerPortal: {
            customer: components["schemas"]["Customer"];
            orders: components["schemas"]["Order"][];
            subscriptions: components["schemas"]["Subscription"][];
            returns: components["schemas"]["Return"][];
        };
        /** Format: email */
        Email: string;
        ErasedCustomer: {
            id: string;
            /** @constant */
            erased: true;
        };
        Erasure: {
            id: string;
            email: components["schemas"]["Email"] | null;
            audit_subject_id: string;
            /**
             * @description `blocked`: something is in progress, as `blockers` say. Run it again when that has ended.
             */
            state: "queued" | "previewed" | "running" | "blocked" | "completed" | "failed";
            failure: string | null;
            blockers: string[];
            parts: {
                name: string;
                treatment: "deleted" | "anonymized" | "kept";
                /** @description What of it stays, and why. */
                stays: string | null;
                /** @description The rows of the person when it was previewed. */
                found: number | null;
                /** @description The rows that were deleted or anonymized. */
                erased: number;
            }[];
            /** @description The customers at the payment provider, whose own records have to be deleted there. */
            payment_customer_ids: string[];
            created_at: components["schemas"]["Timestamp"];
            started_at: components["schemas"]["Timestamp"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
        };
        Export: {
            id: string;
            kind: string;
            format: "csv" | "jsonl" | "shopify";
            from: components["schemas"]["Timestamp"] | null;
            to: components["schemas"]["Timestamp"] | null;
            state: "receiving" | "queued" | "running" | "completed" | "failed" | "canceled";
            failure: string | null;
            rows: number | null;
            file_bytes: number | null;
            url: string | null;
            expires_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
            finished_at: components["schemas"]["Timestamp"] | null;
        };
        GiftCard: {
            id: string;
            last4: string;
            currency: string;
            balance_cents: number;
            held_cents: number;
            disabled_at: components["schemas"]["Timestamp"] | null;
            version: number;
            created_at: components["schemas"]["Timestamp"];
        };
        GiftCardQuote: {
            valid: boolean;
            last4: string | null;
            currency: string | null;
            appliedCents: number;
            remainingDueCents: number;
            reason: ("not_applicable" | "empty" | "in_use") | null;
            balanceCents?: number;
        };
        Image: {
            url: string;
            alt: string | null;
            width: number | null;
            height: number | null;
            position: number;
        };
        Import: {
            id: string;
            kind: string;
            format: string;
            mode: "upsert" | "create";
            dry_run: boolean;
            state: "receiving" | "queued" | "running" | "completed" | "failed" | "canceled";
            failure: string | null;
            /** @description The size of the file as UTF-8. */
            file_bytes: number;
            rows: {
                /** @description Null until the whole file was read. */
                total: number | null;
                read: number;
                done: number;
                /** @description Those that were rejected; `GET /admin/imports/{id}/errors` lists them. */
                failed: number;
            };
            changes: {
                created: number;
                updated: number;
                unchanged: number;
            };
            samples: {
                subject: string;
                action: string;
                fields: string[];
            }[];
            rows_per_second: number | null;
            created_at: components["schemas"]["Timestamp"];
            started_at: components["schemas"]["Timestamp"] | null;
            finished_at: components["schemas"]["Timestamp"] | null;
        };
        Integration: {
            id: string;
            provider: string;
            /**
             * @description `answered` once the third party sent the browser back, `pending` until then, `expired` after the deadline.
             */
            status: "pending" | "answered" | "expired";
            /** Format: uri */
            return_url: string;
            expires_at: components["schemas"]["Timestamp"];
            received_at: components["schemas"]["Timestamp"] | null;
            created_at: components["schemas"]["Timestamp"];
        };
        KnownCustomer: {
            id: string;
            email: components["schemas"]["Email"];
            name: string | null;
            accepts_marketing: boolean | null;
            version: number;
            created_at: components["schemas"]["Timestamp"];
        };
        Label: {
            id: string;
            order_id: string;
            order_number: string;
            state: "queued" | "rate_chosen" | "buying" | "purchased" | "needs_attention" | "skipped" | "voided";
            reason_code: ("missing_address" | "address_invalid" | "no_rates" | "no_enabled_carrier" | "no_matching_rate" | "cost_cap" | "parcel_missing" | "international" | "provider_auth" | "provider_insufficient_funds" | "provider_rate_limited" | "provider_error" | "carrier_error" | "outcome_unknown" | "oversold" | "payment_disputed" | "crashes" | "not_required" | "by_hand") | null;
            /** @description What happened. */
            reason: string | null;
            /** @description What to do about it. */
            next: string | null;
            remedy: ("retry" | "address" | "rate") | null;
            carrier: string | null;
            service: string | null;
            amount_cents: number | null;
            currency: string | null;
            tracking_number: string | null;
            tracking_url: string | null;
            label_url: string | null;
            tries: number;
            next_attempt_at: components["schemas"]["Timestamp"] | null;
            version: number;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
            purchased_at: components["schemas"]["Timestamp"] | null;
        };
        Lead: {
            id: string;
            email: components["schemas"]["Email"];
            source: string;
            name: string | null;
            consent: boolean | null;
            consent_at: components["schemas"]["Timestamp"] | null;
            answers: {
                [key: string]: unknown;
            } | null;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        ManagedContentEntry: {
            id: string;
            type: string;
            slug: string;
            title: string;
            summary: string | null;
            body: {
                format: "markdown" | "html" | "text";
                value: string;
            };
            tags: string[];
            image: {
                url: string;
                alt: string | null;
                width: number | null;
                height: number | null;
            } | null;
            author: string | null;
            starts_at: components["schemas"]["Timestamp"] | null;
            ends_at: components["schemas"]["Timestamp"] | null;
            published_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"];
            version: number;
            created_at: components["schemas"]["Timestamp"];
        };
        ManagedOrder: {
            id: string;
            order_number: string;
            status: "pending" | "paid" | "payment_failed" | "expired" | "canceled" | "partially_refunded" | "refunded";
            payment_status: "unpaid" | "processing" | "paid" | "failed" | "partially_refunded" | "refunded";
            fulfillment_status: "unfulfilled" | "label_purchased" | "shipped" | "delivered" | "returned" | "exception" | "needs_attention" | "not_required";
            dispute_status: ("open" | "won" | "lost") | null;
            currency: string;
            subtotal_cents: number;
            discount_cents: number;
            gift_card_cents: number;
            shipping_cents: number;
            tax_cents: number;
            total_cents: number;
            refunded_cents: number;
            customer: {
                id: string | null;
                email: components["schemas"]["Email"] | null;
            };
            shipping_address: components["schemas"]["ShippingAddress"] | null;
            items: components["schemas"]["OrderItem"][];
            labels: components["schemas"]["OrderLabel"][];
            metadata: {
                [key: string]: unknown;
            };
            version: number;
            created_at: components["schemas"]["Timestamp"];
            paid_at: components["schemas"]["Timestamp"] | null;
            shipped_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"];
            imported_at: components["schemas"]["Timestamp"] | null;
            attention: components["schemas"]["Attention"] | null;
            attentions: components["schemas"]["Attention"][];
            packing_list: components["schemas"]["PackedItem"][];
        };
        ManagedPartner: {
            id: string;
            code: string;
            name: string;
            commission_percent: number;
            discount_percent: number;
            window: string;
            orders: number;
            total_cents: number;
            commission_cents: number;
            version: number;
            created_at: components["schemas"]["Timestamp"];
        };
        ManagedProduct: {
            id: string;
            slug: string;
            name: string;
            description: string;
            category: string | null;
            tags: string[];
            images: components["schemas"]["Image"][];
            price_cents: number;
            compare_at_cents: number | null;
            currency: string;
            purchase_types: ("one_time" | "subscription")[];
            subscription_intervals: ("month" | "quarter")[];
            rating: {
                count: number;
                average: number;
            };
            in_stock: boolean;
            updated_at: components["schemas"]["Timestamp"];
            status: "draft" | "published";
            version: number;
            created_at: components["schemas"]["Timestamp"];
            variants: components["schemas"]["ManagedVariant"][];
        };
        ManagedReview: {
            id: string;
            rating: number;
            title: string | null;
            body: string | null;
            author_name: string;
            verified_purchase: boolean;
            created_at: components["schemas"]["Timestamp"];
            product_slug: string;
            status: "pending" | "approved" | "rejected";
            email: string | null;
            other_approved: boolean;
            decided_at: components["schemas"]["Timestamp"] | null;
        };
        ManagedVariant: {
            id: string;
            sku: string;
            name: string;
            options: {
                [key: string]: string;
            };
            price_cents: number;
            subscription_price_cents: number | null;
            weight_oz: number | null;
            stock_status: "in_stock" | "low_stock" | "out_of_stock" | "backorder";
            compare_at_cents: number | null;
            ships: boolean;
            /** @description Quantity on hand, including held stock; null is not tracked. */
            stock: number | null;
            /** @description Quantity that open checkouts hold. */
            stock_held: number;
            low_stock_at: number | null;
            backorder: boolean;
        };
        Order: {
            id: string;
            order_number: string;
            status: "pending" | "paid" | "payment_failed" | "expired" | "canceled" | "partially_refunded" | "refunded";
            payment_status: "unpaid" | "processing" | "paid" | "failed" | "partially_refunded" | "refunded";
            fulfillment_status: "unfulfilled" | "label_purchased" | "shipped" | "delivered" | "returned" | "exception" | "needs_attention" | "not_required";
            dispute_status: ("open" | "won" | "lost") | null;
            currency: string;
            subtotal_cents: number;
            discount_cents: number;
            gift_card_cents: number;
            shipping_cents: number;
            tax_cents: number;
            total_cents: number;
            refunded_cents: number;
            customer: {
                id: string | null;
                email: components["schemas"]["Email"] | null;
            };
            shipping_address: components["schemas"]["ShippingAddress"] | null;
            items: components["schemas"]["OrderItem"][];
            labels: components["schemas"]["OrderLabel"][];
            metadata: {
                [key: string]: unknown;
            };
            version: number;
            created_at: components["schemas"]["Timestamp"];
            paid_at: components["schemas"]["Timestamp"] | null;
            shipped_at: components["schemas"]["Timestamp"] | null;
        };
        OrderFile: {
            id: string;
            order_number: string;
            status: "pending" | "paid" | "payment_failed" | "expired" | "canceled" | "partially_refunded" | "refunded";
            payment_status: "unpaid" | "processing" | "paid" | "failed" | "partially_refunded" | "refunded";
            fulfillment_status: "unfulfilled" | "label_purchased" | "shipped" | "delivered" | "returned" | "exception" | "needs_attention" | "not_required";
            dispute_status: ("open" | "won" | "lost") | null;
            currency: string;
            subtotal_cents: number;
            discount_cents: number;
            gift_card_cents: number;
            shipping_cents: number;
            tax_cents: number;
            total_cents: number;
            refunded_cents: number;
            customer: {
                id: string | null;
                email: components["schemas"]["Email"] | null;
            };
            shipping_address: components["schemas"]["ShippingAddress"] | null;
            items: components["schemas"]["OrderItem"][];
            labels: components["schemas"]["OrderLabel"][];
            metadata: {
                [key: string]: unknown;
            };
            version: number;
            created_at: components["schemas"]["Timestamp"];
            paid_at: components["schemas"]["Timestamp"] | null;
            shipped_at: components["schemas"]["Timestamp"] | null;
            updated_at: components["schemas"]["Timestamp"];
            imported_at: components["schemas"]["Timestamp"] | null;
            attention: components["schemas"]["Attention"] | null;
            attentions: components["schemas"]["Attention"][];
            packing_list: components["schemas"]["PackedItem"][];
            gift_card_returned_cents: number;
            label: components["schemas"]["Label"] | null;
            refunds: components["schemas"]["Refund"][];
            timeline: components["schemas"]["TimelineEntry"][];
        };
        OrderItem: {
            id: string;
            product_id: string;
            product_slug: string;
            variant_id: string | null;
            sku: string | null;
            name: string;
            quantity: number;
            unit_price_cents: number;
            total_cents: number;
            purchase_type: "one_time" | "subscription";
            subscription_interval: ("month" | "quarter") | null;
        };
        OrderLabel: {
            carrier: string;
            service: string | null;
            tracking_number: string;
            tracking_url: string | null;
            /** @description One of unknown, pre_transit, transit, failure, delivered, returned. */
            status: string | null;
        };
        Overview: {
            attention: {
                kind: "payments" | "order" | "label" | "duplicate_label" | "shipping" | "webhook_endpoint" | "webhook_delivery" | "email" | "erasure";
                code: string;
                /** @description Of one kind at most 1000. */
                count: number;
                oldest_at: components["schemas"]["Timestamp"];
                message: string;
                next: string;
                /** @description The areas of which a member needs `write` to do all of it. */
                areas: ("orders" | "refunds" | "labels" | "returns" | "customers" | "catalog" | "content" | "promotions" | "webhooks" | "analytics" | "settings" | "staff")[];
            }[];
            /** @description Paid orders that are not shipped yet. At most 1000. */
            orders_to_ship: number;
            /** @description Those of them for which no label is bought, or about to be. At most 1000. */
            orders_without_label: number;
            /** @description Labels that a worker is about to buy. At most 1000. */
            labels_in_progress: number;
            /** @description Labels that were bought for parcels that the carrier does not have yet. At most 1000. */
            labels_purchased: number;
            /** @description Returns that wait for a decision. At most 1000. */
            returns_requested: number;
            /** @description Reviews that wait for a decision. At most 1000. */
            reviews_pending: number;
        };
        PackedItem: {
            order_item_id: string;
            sku: string | null;
            name: string;
            quantity: number;
        };
        Partner: {
            code: string;
            name: string;
            discount: {
                percent: number;
            };
        };
        PartnerApplication: {
            id: string;
            status: "pending" | "accepted" | "declined";
            email: components["schemas"]["Email"];
            name: string | null;
            website: string | null;
            message: string | null;
            created_at: components["schemas"]["Timestamp"];
        };
        PaymentAccount: {
            /** @constant */
            provider: "stripe";
            mode: "direct" | "connect";
            account_id: string | null;
            publishable_key: string | null;
            has_secret_key: boolean;
            has_webhook_secret: boolean;
            /** Format: uri */
            webhook_url: string;
            webhooks_silent_since: components["schemas"]["Timestamp"] | null;
            session_lifetime: string;
            automatic_tax: boolean;
            version: number;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        Product: {
            id: string;
            slug: string;
            name: string;
            description: string;
            category: string | null;
            tags: string[];
            images: components["schemas"]["Image"][];
            price_cents: number;
            compare_at_cents: number | null;
            currency: string;
            purchase_types: ("one_time" | "subscription")[];
            subscription_intervals: ("month" | "quarter")[];
            rating: {
                count: number;
                average: number;
            };
            in_stock: boolean;
            updated_at: components["schemas"]["Timestamp"];
        };
        ProductDetail: {
            id: string;
            slug: string;
            name: string;
            description: string;
            category: string | null;
            tags: string[];
            images: components["schemas"]["Image"][];
            price_cents: number;
            compare_at_cents: number | null;
            currency: string;
            purchase_types: ("one_time" | "subscription")[];
            subscription_intervals: ("month" | "quarter")[];
            rating: {
                count: number;
                average: number;
            };
            in_stock: boolean;
            updated_at: components["schemas"]["Timestamp"];
            variants: components["schemas"]["Variant"][];
        };
        PromoCode: {
            id: string;
            code: string;
            type: "percent" | "fixed" | "free_shipping";
            value: number | null;
            value_cents: number | null;
            min_subtotal_cents: number;
            usage_limit: number | null;
            per_customer_limit: number | null;
            starts_at: components["schemas"]["Timestamp"] | null;
            ends_at: components["schemas"]["Timestamp"] | null;
            products: string[];
            held: number;
            used: number;
            version: number;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        PromoQuote: {
            valid: boolean;
            code: string;
            discountType: ("percent" | "fixed" | "free_shipping") | null;
            discountCents: number;
            subtotalCents: number;
            totalAfterDiscountCents: number;
            reason: ("not_applicable" | "expired" | "minimum_not_met" | "usage_limit" | "customer_limit") | null;
        };
        Refund: {
            id: string;
            order_id: string;
            return_id: string | null;
            state: "requested" | "sent" | "refused" | "failed";
            amount_cents: number;
            currency: string;
            reason: string | null;
            failure: string | null;
            created_at: components["schemas"]["Timestamp"];
            settled_at: components["schemas"]["Timestamp"] | null;
        };
        ReminderDecision: {
            id: string;
            saved_cart_id: string;
            email: components["schemas"]["Email"];
            step: number;
            state: "scheduled" | "sent" | "skipped";
            reason: ("store_closed" | "switched_off" | "purchased" | "expired" | "newer_cart" | "no_consent" | "unsubscribed" | "bounced" | "items_gone" | "recently_reminded" | "quiet_hours") | null;
            due_at: components["schemas"]["Timestamp"];
            decided_at: components["schemas"]["Timestamp"] | null;
            mail_state: ("queued" | "sending" | "sent" | "bounced" | "suppressed" | "outcome_unknown" | "failed") | null;
            recovered_order_id: string | null;
        };
        ReminderSettings: {
            enabled: boolean;
            steps: string[];
            quiet_hours: string[] | null;
            per_address: string;
        };
        Return: {
            id: string;
            number: string;
            order_id: string;
            order_number: string;
            status: "requested" | "approved" | "rejected" | "received" | "refunded" | "closed";
            items: components["schemas"]["ReturnItem"][];
            version: number;
            created_at: components["schemas"]["Timestamp"];
        };
        ReturnItem: {
            order_item_id: string;
            variant_id: string;
            name: string;
            quantity: number;
            reason: string | null;
            note: string | null;
        };
        /**
         * Format: uri-template
         * @description An https URL; in the test environment also http to localhost or 127.0.0.1. A store that lists its allowed origins accepts these and its storefront's only. `{ORDER_ID}` is replaced by the id of the order, `{CHECKOUT_SESSION_ID}` by that of the provider's session; the braces may be percent-encoded.
         */
        ReturnUrl: string;
        SavedCart: {
            id: string;
            saved_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["Timestamp"];
            currency: string;
            items: {
                product_slug: string | null;
                variant_id: string | null;
                name: string | null;
                quantity: number;
                unit_price_cents: number | null;
                current_unit_price_cents: number | null;
                status: "ok" | "price_changed" | "out_of_stock" | "discontinued";
                purchase_type?: "one_time" | "subscription";
                subscription_interval?: "month" | "quarter";
            }[];
        };
        SearchResult: {
            type: "product" | "content";
            id: string;
            slug: string;
            title: string;
            snippet: string;
            score: number;
            product?: components["schemas"]["Product"];
            entry_type?: string;
        };
        SecondShippingAccount: {
            /** @constant */
            provider: "easypost";
            version: number;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        Session: {
            session_token: string;
            /** @constant */
            token_type: "Bearer";
            expires_in: number;
            expires_at: components["schemas"]["Timestamp"];
            refresh_token: string | null;
            refresh_expires_at: components["schemas"]["Timestamp"];
            customer: components["schemas"]["Customer"];
        };
        ShippingAccount: {
            /** @constant */
            provider: "shippo";
            has_webhook_token: boolean;
            has_webhook_secret: boolean;
            carriers: string[];
            origin: components["schemas"]["ShippingOrigin"];
            parcel: components["schemas"]["ShippingBox"];
            label_cost_cap_cents: number | null;
            countries: string[];
            options: components["schemas"]["ShippingOption"][];
            labels_paused_since: components["schemas"]["Timestamp"] | null;
            version: number;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        ShippingAddress: {
            name: string | null;
            street1: string | null;
            street2: string | null;
            city: string | null;
            state: string | null;
            zip: string | null;
            country: string | null;
            phone: string | null;
            email: string | null;
        };
        ShippingBox: {
            length_in: number;
            width_in: number;
            height_in: number;
            weight_oz: number;
        };
        ShippingOption: {
            name: string;
            amount_cents: number;
            free_over_cents?: number | null;
        };
        ShippingOrigin: {
            name: string;
            street1: string;
            street2?: string | null;
            city: string;
            state?: string | null;
            /** @description Carriers require one: 00000 where the country has no postal codes. */
            zip: string;
            country: string;
            phone?: string | null;
            email?: components["schemas"]["Email"] | null;
        };
        ShippingRate: {
            id: string;
            carrier: string;
            service: string;
            service_code: string;
            amount_cents: number;
            currency: string;
            estimated_days: number | null;
            attributes: string[];
        };
        SignedIn: {
            session: components["schemas"]["StaffSession"];
            staff: {
                id: string;
                email: components["schemas"]["Email"];
                name: string;
                role: "owner" | "manager" | "fulfilment" | "support" | "analyst";
                second_factor: "totp" | "email";
            };
            store: {
                slug: string;
                name: string;
                currency: string;
                closed_at: components["schemas"]["Timestamp"] | null;
            };
            scopes: string[];
        };
        Staff: {
            id: string;
            email: components["schemas"]["Email"];
            name: string;
            role: "owner" | "manager" | "fulfilment" | "support" | "analyst";
            second_factor: "totp" | "email";
            revoked_at: components["schemas"]["Timestamp"] | null;
            version: number;
            created_at: components["schemas"]["Timestamp"];
        };
        StaffSession: {
            id: string;
            created_at: components["schemas"]["Timestamp"];
            idle_expires_at: components["schemas"]["Timestamp"];
            expires_at: components["schemas"]["Timestamp"];
            verified_until: components["schemas"]["Timestamp"] | null;
        };
        Stock: {
            variant_id: string;
            sku: string;
            /** @description Quantity on hand, including held stock; null is not tracked. */
            quantity: number | null;
            /** @description Quantity that open checkouts hold. */
            held: number;
        };
        StockMovement: {
            id: string;
            quantity: number;
            reason: "sold" | "restocked" | "set" | "adjusted";
            order_id: string | null;
            at: components["schemas"]["Timestamp"];
        };
        StoreSettings: {
            slug: string;
            name: string;
            owner_email: components["schemas"]["Email"];
            currency: string;
            locale: string;
            timezone: string;
            /** Format: uri */
            storefront_url: string;
            magic_link_path: string;
            restore_path: string;
            allowed_origins: string[];
            refund_verification_above_cents: number;
            mail_from: string | null;
            theme: {
                [key: string]: unknown;
            };
            links: {
                [key: string]: unknown;
            };
            version: number;
        };
        Storefront: {
            slug: string;
            name: string;
            currency: string;
            locale: string;
            publishable_key: string | null;
            features: {
                customer_accounts: boolean;
                subscriptions: boolean;
                gift_cards: boolean;
                reviews: boolean;
            };
            shipping: {
                countries: string[];
                options: {
                    name: string;
                    amount_cents: number;
                    free_over_cents: number | null;
                }[];
            };
            theme: {
                [key: string]: unknown;
            };
            links: {
                [key: string]: unknown;
            };
            version: number;
        };
        Subscription: {
            id: string;
            payment_subscription_id: string;
            status: "active" | "trialing" | "past_due" | "paused" | "canceled";
            product_id: string;
            product_name: string | null;
            variant_id: string | null;
            interval: "month" | "quarter";
            quantity: number;
            unit_price_cents: number;
            currency: string;
            current_period_end: components["schemas"]["Timestamp"];
            cancel_at_period_end: boolean;
            canceled_at: components["schemas"]["Timestamp"] | null;
            customer: {
                id: string | null;
                email: components["schemas"]["Email"] | null;
            };
            shipping_address: components["schemas"]["ShippingAddress"] | null;
            version: number;
            created_at: components["schemas"]["Timestamp"];
        };
        Suppression: {
            email: components["schemas"]["Email"];
            reason: "bounced";
            created_at: components["schemas"]["Timestamp"];
        };
        TimelineEntry: {
            at: components["schemas"]["Timestamp"];
            type: string;
            actor: {
                kind: string;
                id: string;
                name: string | null;
            } | null;
            detail: string | null;
        };
        /** Format: date-time */
        Timestamp: string;
        Variant: {
            id: string;
            sku: string;
            name: string;
            options: {
                [key: string]: string;
            };
            price_cents: number;
            subscription_price_cents: number | null;
            weight_oz: number | null;
            stock_status: "in_stock" | "low_stock" | "out_of_stock" | "backorder";
        };
        VariantInput: {
            sku: string;
            name?: string | null;
            options?: {
                [key: string]: string;
            } | null;
            price_cents: number;
            compare_at_cents?: number | null;
            subscription_price_cents?: number | null;
            weight_oz?: number | null;
            ships?: boolean | null;
            stock?: number | null;
            low_stock_at?: number | null;
            backorder?: boolean | null;
        };
        VariantReplacement: {
            sku: string;
            name?: string | null;
            options?: {
                [key: string]: string;
            } | null;
            price_cents: number;
            compare_at_cents?: number | null;
            subscription_price_cents?: number | null;
            weight_oz?: number | null;
            ships?: boolean | null;
            stock?: number | null;
            low_stock_at?: number | null;
            backorder?: boolean | null;
            /** @description With the id of a variant of this product, another SKU is its new one. Otherwise it is a new variant. */
            id?: string | null;
        };
        VariantStock: {
            variant_id: string;
            sku: string;
            status: "in_stock" | "low_stock" | "out_of_stock" | "backorder";
            max_quantity: number;
        };
        WaitlistEntry: {
            id: string;
            email: components["schemas"]["Email"];
            product_slug: string;
            product_name: string;
            sku: string | null;
            created_at: components["schemas"]["Timestamp"];
            notified_at: components["schemas"]["Timestamp"] | null;
        };
        WebhookAttempt: {
            number: number;
            at: components["schemas"]["Timestamp"];
            status: number | null;
            failure: string | null;
            duration_ms: number;
            response: string | null;
            /** @description The version of the object that was sent, as in the body. */
            object_version: number | null;
        };
        WebhookDelivery: {
            id: string;
            endpoint_id: string;
            event_id: string;
            type: "order.paid" | "order.shipped" | "order.payment_failed" | "order.expired" | "order.refunded" | "order.delivered" | "order.disputed" | "order.dispute_closed" | "order.updated" | "subscription.created" | "subscription.updated" | "subscription.canceled" | "label.purchased" | "label.needs_attention" | "label.voided" | "label.skipped" | "return.requested" | "return.updated" | "customer.erased" | "webhook.test";
            state: "pending" | "delivered" | "failed" | "discarded";
            attempt_count: number;
            next_attempt_at: components["schemas"]["Timestamp"] | null;
            last_status: number | null;
            last_failure: string | null;
            created_at: components["schemas"]["Timestamp"];
        };
        WebhookEndpoint: {
            id: string;
            /** Format: uri */
            url: string;
            events: string[];
            concurrency: number;
            rate_per_second: number | null;
            status: "enabled" | "disabled";
            disabled_at: components["schemas"]["Timestamp"] | null;
            disabled_reason: ("owner" | "gone" | "failing") | null;
            failing_since: components["schemas"]["Timestamp"] | null;
            paused_until: components["schemas"]["Timestamp"] | null;
            last_success_at: components["schemas"]["Timestamp"] | null;
            version: number;
            created_at: components["schemas"]["Timestamp"];
            updated_at: components["schemas"]["Timestamp"];
        };
        WholesaleInquiry: {
            id: string;
            email: components["schemas"]["Email"];
            company: string | null;
            phone: string | null;
            message: string | null;
            expected_volume: string | null;
            status: "new" | "answered" | "closed";
            created_at: components["schemas"]["Timestamp"];
        };
        ZeroResultSearch: {
            query: string;
            count: number;
            last_at: components["schemas"]["Timestamp"];
        };
        ErrorBody: {
            /**
             * @description The error code, for programs.
             */
            error: "invalid_request" | "invalid_json" | "missing_tenant" | "invalid_cursor" | "too_many_items" | "price_unavailable" | "mixed_intervals" | "amount_too_small" | "currency_mismatch" | "variant_required" | "unknown_product" | "promo_not_applicable" | "gift_card_not_applicable" | "invalid_or_expired_token" | "missing_key" | "invalid_key" | "revoked_key" | "expired_key" | "wrong_environment" | "invalid_session" | "expired_session" | "insufficient_scope" | "store_closed" | "module_disabled" | "confirmation_required" | "second_factor_required" | "origin_not_allowed" | "not_found" | "unknown_tenant" | "customer_not_found" | "method_not_allowed" | "request_timeout" | "duplicate_subscription" | "insufficient_stock" | "idempotency_in_progress" | "version_conflict" | "subscription_canceled" | "return_not_allowed" | "refund_not_allowed" | "label_in_progress" | "label_purchased" | "label_outcome_unknown" | "label_not_voidable" | "order_shipped" | "order_not_shippable" | "totp_enabled" | "last_owner" | "not_runnable" | "not_undoable" | "no_receipt" | "saved_cart_gone" | "payload_too_large" | "unsupported_media_type" | "expectation_failed" | "idempotency_key_reused" | "rate_limited" | "headers_too_large" | "internal_error" | "shipping_provider_unavailable" | "payment_provider_error" | "payment_provider_not_configured" | "payment_provider_unavailable" | "service_unavailable";
            reason?: string;
            /** @description Every problem and where it is: `path` is a JSON pointer. */
            errors?: {
                path: string;
                code: string;
                detail: string;
            }[];
            fields?: string[];
            required_scope?: string;
            conflicts?: {
                product_id: string;
                product_name: string;
                payment_subscription_id: string;
            }[];
            items?: {
                variant_id: string;
                requested: number;
                available: number;
            }[];
            /** @description Seconds to wait, as in the Retry-After header. */
            retry_after?: number;
            /** @description The error message, for people. */
            detail: string;
            request_id: string;
        };
    };
    responses: {
        Failed: {
            content: {
                "application/json": components["schemas"]["ErrorBody"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type AnalyticsEvent = components['schemas']['AnalyticsEvent'];
export type AnalyticsEvents = components['schemas']['AnalyticsEvents'];
export type ApiKey = components['schemas']['ApiKey'];
export type Attention = components['schemas']['Attention'];
export type AuditEntry = components['schemas']['AuditEntry'];
export type BulkChange = components['schemas']['BulkChange'];
export type Cart = components['schemas']['Cart'];
export type CartLine = components['schemas']['CartLine'];
export type CheckoutSession = components['schemas']['CheckoutSession'];
export type CheckoutStatus = components['schemas']['CheckoutStatus'];
export type ContentEntry = components['schemas']['ContentEntry'];
export type Customer = components['schemas']['Customer'];
export type CustomerHistory = components['schemas']['CustomerHistory'];
export type CustomerPortal = components['schemas']['CustomerPortal'];
export type Email = components['schemas']['Email'];
export type ErasedCustomer = components['schemas']['ErasedCustomer'];
export type Erasure = components['schemas']['Erasure'];
export type Export = components['schemas']['Export'];
export type GiftCard = components['schemas']['GiftCard'];
export type GiftCardQuote = components['schemas']['GiftCardQuote'];
export type Image = components['schemas']['Image'];
export type Import = components['schemas']['Import'];
export type Integration = components['schemas']['Integration'];
export type KnownCustomer = components['schemas']['KnownCustomer'];
export type Label = components['schemas']['Label'];
export type Lead = components['schemas']['Lead'];
export type ManagedContentEntry = components['schemas']['ManagedContentEntry'];
export type ManagedOrder = components['schemas']['ManagedOrder'];
export type ManagedPartner = components['schemas']['ManagedPartner'];
export type ManagedProduct = components['schemas']['ManagedProduct'];
export type ManagedReview = components['schemas']['ManagedReview'];
export type ManagedVariant = components['schemas']['ManagedVariant'];
export type Order = components['schemas']['Order'];
export type OrderFile = components['schemas']['OrderFile'];
export type OrderItem = components['schemas']['OrderItem'];
export type OrderLabel = components['schemas']['OrderLabel'];
export type Overview = components['schemas']['Overview'];
export type PackedItem = components['schemas']['PackedItem'];
export type Partner = components['schemas']['Partner'];
export type PartnerApplication = components['schemas']['PartnerApplication'];
export type PaymentAccount = components['schemas']['PaymentAccount'];
export type Product = components['schemas']['Product'];
export type ProductDetail = components['schemas']['ProductDetail'];
export type PromoCode = components['schemas']['PromoCode'];
export type PromoQuote = components['schemas']['PromoQuote'];
export type Refund = components['schemas']['Refund'];
export type ReminderDecision = components['schemas']['ReminderDecision'];
export type ReminderSettings = components['schemas']['ReminderSettings'];
export type Return = components['schemas']['Return'];
export type ReturnItem = components['schemas']['ReturnItem'];
export type ReturnUrl = components['schemas']['ReturnUrl'];
export type SavedCart = components['schemas']['SavedCart'];
export type SearchResult = components['schemas']['SearchResult'];
export type SecondShippingAccount = components['schemas']['SecondShippingAccount'];
export type Session = components['schemas']['Session'];
export type ShippingAccount = components['schemas']['ShippingAccount'];
export type ShippingAddress = components['schemas']['ShippingAddress'];
export type ShippingBox = components['schemas']['ShippingBox'];
export type ShippingOption = components['schemas']['ShippingOption'];
export type ShippingOrigin = components['schemas']['ShippingOrigin'];
export type ShippingRate = components['schemas']['ShippingRate'];
export type SignedIn = components['schemas']['SignedIn'];
export type Staff = components['schemas']['Staff'];
export type StaffSession = components['schemas']['StaffSession'];
export type Stock = components['schemas']['Stock'];
export type StockMovement = components['schemas']['StockMovement'];
export type StoreSettings = components['schemas']['StoreSettings'];
export type Storefront = components['schemas']['Storefront'];
export type Subscription = components['schemas']['Subscription'];
export type Suppression = components['schemas']['Suppression'];
export type TimelineEntry = components['schemas']['TimelineEntry'];
export type Timestamp = components['schemas']['Timestamp'];
export type Variant = components['schemas']['Variant'];
export type VariantInput = components['schemas']['VariantInput'];
export type VariantReplacement = components['schemas']['VariantReplacement'];
export type VariantStock = components['schemas']['VariantStock'];
export type WaitlistEntry = components['schemas']['WaitlistEntry'];
export type WebhookAttempt = components['schemas']['WebhookAttempt'];
export type WebhookDelivery = components['schemas']['WebhookDelivery'];
export type WebhookEndpoint = components['schemas']['WebhookEndpoint'];
export type WholesaleInquiry = components['schemas']['WholesaleInquiry'];
export type ZeroResultSearch = components['schemas']['ZeroResultSearch'];
export type ErrorBody = components['schemas']['ErrorBody'];
export type ResponseFailed = components['responses']['Failed'];
export type $defs = Record<string, never>;
export interface operations {
    "admin.getDailyAnalytics": {
        parameters: {
            query?: {
                /** @description A day in UTC. A time after it is ignored. */
                from?: string;
                /** @description A day in UTC. A time after it is ignored. */
                to?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        days: {
                            /** @description A day in UTC. A time after it is ignored. */
                            day: string;
                            events: number;
                            sessions: number;
                            orders: number;
                            revenue_cents: number;
                        }[];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getFunnel": {
        parameters: {
            query?: {
                /** @description A day in UTC. A time after it is ignored. */
                from?: string;
                /** @description A day in UTC. A time after it is ignored. */
                to?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @description A day in UTC. A time after it is ignored. */
                        from: string;
                        /** @description A day in UTC. A time after it is ignored. */
                        to: string;
                        steps: {
                            step: "viewed" | "cart" | "checkout" | "paid";
                            sessions: number;
                        }[];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listZeroResultSearches": {
        parameters: {
            query?: {
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        searches: components["schemas"]["ZeroResultSearch"][];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listAuditLog": {
        parameters: {
            query?: {
                subject_kind?: string;
                subject_id?: string;
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        entries: components["schemas"]["AuditEntry"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listBulkChanges": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        bulk_changes: components["schemas"]["BulkChange"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.previewBulkChange": {
        requestBody: {
            content: {
                "application/json": {
                    kind: "prices" | "tags" | "status" | "stock" | "label_retries" | "subscription_cancellations" | "emails";
                    ids?: string[];
                    filter?: {
                        status?: "draft" | "published";
                        tag?: string;
                        category?: string;
                    } | {
                        reason_code?: "missing_address" | "address_invalid" | "no_rates" | "no_enabled_carrier" | "no_matching_rate" | "cost_cap" | "parcel_missing" | "international" | "provider_auth" | "provider_insufficient_funds" | "provider_rate_limited" | "provider_error" | "carrier_error" | "outcome_unknown" | "oversold" | "payment_disputed" | "crashes" | "not_required" | "by_hand";
                    } | {
                        status?: "active" | "trialing" | "past_due" | "paused" | "canceled";
                        email?: components["schemas"]["Email"];
                        product_id?: string;
                        variant_id?: string;
                    } | {
                        status?: "pending" | "paid" | "payment_failed" | "expired" | "canceled" | "partially_refunded" | "refunded";
                        fulfillment_status?: "unfulfilled" | "label_purchased" | "shipped" | "delivered" | "returned" | "exception" | "needs_attention" | "not_required";
                        email?: components["schemas"]["Email"];
                        needs_attention?: boolean;
                        /** @description To be shipped, and no label is bought for it or about to be. */
                        without_label?: boolean;
                        /** @description An email about it, or about a return of it, was given up. */
                        email_unsent?: boolean;
                        from?: components["schemas"]["Timestamp"];
                        to?: components["schemas"]["Timestamp"];
                    };
                    change?: ({
                        percent?: number;
                        amount_cents?: number;
                        /** @description New prices are rounded to a multiple of this, halves up. Default: what the currency can charge. */
                        round_to_cents?: number;
                        /**
                         * @default [
                         *       "price_cents"
                         *     ]
                         */
                        prices?: ("price_cents" | "compare_at_cents" | "subscription_price_cents")[];
                    } & (unknown | unknown)) | {
                        add?: string[];
                        remove?: string[];
                    } | {
                        status: "draft" | "published";
                    } | ({
                        quantity?: number | null;
                        change?: number;
                    } & (unknown | unknown)) | {
                        /**
                         * @description At the end of the paid period, or at once.
                         * @default true
                         */
                        at_period_end?: boolean;
                    } | {
                        email: "receipt";
                    };
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        bulk_change: components["schemas"]["BulkChange"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getBulkChange": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        bulk_change: components["schemas"]["BulkChange"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.cancelBulkChange": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        bulk_change: components["schemas"]["BulkChange"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listBulkChangeErrors": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "text/csv": string;
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.runBulkChange": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        bulk_change: components["schemas"]["BulkChange"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.undoBulkChange": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        bulk_change: components["schemas"]["BulkChange"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listEntries": {
        parameters: {
            query?: {
                type?: string;
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        entries: components["schemas"]["ManagedContentEntry"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.createEntry": {
        requestBody: {
            content: {
                "application/json": {
                    type: string;
                    slug: string;
                    title: string;
                    summary?: string | null;
                    body?: {
                        format: "markdown" | "html" | "text";
                        value: string;
                    } | null;
                    tags?: string[] | null;
                    image?: {
                        /** Format: uri */
                        url: string;
                        alt?: string | null;
                        width?: number | null;
                        height?: number | null;
                    } | null;
                    author?: string | null;
                    starts_at?: components["schemas"]["Timestamp"] | null;
                    ends_at?: components["schemas"]["Timestamp"] | null;
                    published_at?: components["schemas"]["Timestamp"] | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        entry: components["schemas"]["ManagedContentEntry"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getEntry": {
        parameters: {
            path: {
                type: string;
                slug: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        entry: components["schemas"]["ManagedContentEntry"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.replaceEntry": {
        parameters: {
            path: {
                type: string;
                slug: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    title: string;
                    summary?: string | null;
                    body?: {
                        format: "markdown" | "html" | "text";
                        value: string;
                    } | null;
                    tags?: string[] | null;
                    image?: {
                        /** Format: uri */
                        url: string;
                        alt?: string | null;
                        width?: number | null;
                        height?: number | null;
                    } | null;
                    author?: string | null;
                    starts_at?: components["schemas"]["Timestamp"] | null;
                    ends_at?: components["schemas"]["Timestamp"] | null;
                    published_at?: components["schemas"]["Timestamp"] | null;
                    /** @description Apply the change only to this version; otherwise the request fails with `version_conflict`. */
                    version?: number | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        entry: components["schemas"]["ManagedContentEntry"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.deleteEntry": {
        parameters: {
            path: {
                type: string;
                slug: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listCustomers": {
        parameters: {
            query?: {
                /** @description An email, or words of a name, or their beginnings. */
                q?: string;
                email?: components["schemas"]["Email"];
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        customers: components["schemas"]["KnownCustomer"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getCustomer": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CustomerHistory"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listErasures": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        erasures: components["schemas"]["Erasure"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.previewErasure": {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                };
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        erasure: components["schemas"]["Erasure"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getErasure": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        erasure: components["schemas"]["Erasure"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.runErasure": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        erasure: components["schemas"]["Erasure"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listExports": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        exports: components["schemas"]["Export"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.createExport": {
        requestBody: {
            content: {
                "application/json": {
                    kind: "products" | "stock" | "orders" | "returns" | "journal" | "journal_days" | "customers" | "subscriptions" | "gift_cards" | "reminders" | "analytics" | "leads" | "waitlist" | "partners" | "commissions" | "promo_codes";
                    /**
                     * @default csv
                     */
                    format?: "csv" | "jsonl" | "shopify";
                    from?: components["schemas"]["Timestamp"] | null;
                    to?: components["schemas"]["Timestamp"] | null;
                };
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        export: components["schemas"]["Export"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getExport": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        export: components["schemas"]["Export"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.cancelExport": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        export: components["schemas"]["Export"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listGiftCards": {
        parameters: {
            query?: {
                /** @description The last four characters of the code. All of it does not belong in a URL, which may be logged. */
                q?: string;
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        gift_cards: components["schemas"]["GiftCard"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.createGiftCard": {
        requestBody: {
            content: {
                "application/json": {
                    balance_cents: number;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        gift_card: components["schemas"]["GiftCard"];
                        code: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.disableGiftCard": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        gift_card: components["schemas"]["GiftCard"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listImports": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        imports: components["schemas"]["Import"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.createImport": {
        parameters: {
            query: {
                kind: "products" | "stock" | "customers" | "partners" | "content" | "promo_codes" | "gift_cards" | "orders";
                format: "csv" | "shopify" | "jsonl";
                /** @description `create` rejects what exists already; `upsert` changes it. */
                mode?: "upsert" | "create";
                /** @description Only report what would change, compared with the store as it is. */
                dry_run?: boolean;
            };
        };
        requestBody: {
            content: {
                "text/csv": string;
                "text/plain": string;
                "text/tab-separated-values": string;
                "application/x-ndjson": string;
                "application/jsonl": string;
                "application/octet-stream": string;
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        import: components["schemas"]["Import"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getImport": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        import: components["schemas"]["Import"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.cancelImport": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        import: components["schemas"]["Import"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listImportErrors": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "text/csv": string;
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listIntegrations": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        integrations: components["schemas"]["Integration"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.createIntegration": {
        requestBody: {
            content: {
                "application/json": {
                    provider: string;
                    /** Format: uri */
                    return_url: string;
                    /** Format: uri */
                    consent_url?: string | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        integration: components["schemas"]["Integration"];
                        /** @description Returned only here. The third party sends it back to callback_url. */
                        state: string;
                        /** Format: uri */
                        callback_url: string;
                        /** Format: uri */
                        open_url: string | null;
                        calls: {
                            /** Format: uri */
                            url: string;
                            secret: string;
                        };
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getIntegration": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        integration: components["schemas"]["Integration"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.revealIntegration": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        integration: components["schemas"]["Integration"];
                        received: {
                            [key: string]: unknown;
                        } | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listKeys": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        keys: components["schemas"]["ApiKey"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.createKey": {
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    kind: "secret" | "publishable";
                    scopes: ("products:read" | "products:write" | "search:read" | "search:write" | "inventory:read" | "inventory:write" | "content:read" | "content:write" | "storefront:read" | "storefront:write" | "cart:read" | "cart:write" | "checkout:read" | "checkout:write" | "orders:read" | "orders:write" | "customers:read" | "customers:write" | "subscriptions:read" | "subscriptions:write" | "returns:read" | "returns:write" | "leads:read" | "leads:write" | "wholesale:read" | "wholesale:write" | "partners:read" | "partners:write" | "shipping:read" | "shipping:write" | "analytics:read" | "analytics:write" | "integrations:read" | "integrations:write" | "admin:read" | "admin:write" | "admin.orders:read" | "admin.orders:write" | "admin.refunds:read" | "admin.refunds:write" | "admin.labels:read" | "admin.labels:write" | "admin.returns:read" | "admin.returns:write" | "admin.customers:read" | "admin.customers:write" | "admin.catalog:read" | "admin.catalog:write" | "admin.content:read" | "admin.content:write" | "admin.promotions:read" | "admin.promotions:write" | "admin.webhooks:read" | "admin.webhooks:write" | "admin.analytics:read" | "admin.analytics:write" | "admin.settings:read" | "admin.settings:write" | "admin.staff:read" | "admin.staff:write")[];
                    expires_at?: components["schemas"]["Timestamp"] | null;
                    /** @description The key's own limit, over all its requests to limited operations. Default: 6,000 for a secret key. */
                    requests_per_minute?: number | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        key: components["schemas"]["ApiKey"];
                        value: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.revokeKey": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        key: components["schemas"]["ApiKey"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listLabels": {
        parameters: {
            query?: {
                state?: "queued" | "rate_chosen" | "buying" | "purchased" | "needs_attention" | "skipped" | "voided";
                reason_code?: "missing_address" | "address_invalid" | "no_rates" | "no_enabled_carrier" | "no_matching_rate" | "cost_cap" | "parcel_missing" | "international" | "provider_auth" | "provider_insufficient_funds" | "provider_rate_limited" | "provider_error" | "carrier_error" | "outcome_unknown" | "oversold" | "payment_disputed" | "crashes" | "not_required" | "by_hand";
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        labels: components["schemas"]["Label"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getLabelFile": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** Format: uri */
                        url: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.retryLabel": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        label: components["schemas"]["Label"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.voidLabel": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        label: components["schemas"]["Label"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listLeads": {
        parameters: {
            query?: {
                source?: string;
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        leads: components["schemas"]["Lead"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listModules": {
        responses: {
            200: {
                content: {
                    "application/json": {
                        modules: {
                            customer_accounts: boolean;
                            subscriptions: boolean;
                            gift_cards: boolean;
                            reviews: boolean;
                        };
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listOrders": {
        parameters: {
            query?: {
                status?: "pending" | "paid" | "payment_failed" | "expired" | "canceled" | "partially_refunded" | "refunded";
                fulfillment_status?: "unfulfilled" | "label_purchased" | "shipped" | "delivered" | "returned" | "exception" | "needs_attention" | "not_required";
                email?: components["schemas"]["Email"];
                needs_attention?: boolean;
                /** @description To be shipped, and no label is bought for it or about to be. */
                without_label?: boolean;
                /** @description An email about it, or about a return of it, was given up. */
                email_unsent?: boolean;
                from?: components["schemas"]["Timestamp"];
                to?: components["schemas"]["Timestamp"];
                /** @description An order number, with or without `ORD-` or `#`, an id, an email, a tracking number, or words of the name of a customer, or their beginnings. */
                q?: string;
                updated_since?: components["schemas"]["Timestamp"];
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        orders: components["schemas"]["ManagedOrder"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getOrder": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        order: components["schemas"]["OrderFile"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.dismissOrderAttention": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        order: components["schemas"]["OrderFile"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.replaceOrderEmail": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        order: components["schemas"]["OrderFile"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.buyLabel": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    rate_id?: string | null;
                };
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        label: components["schemas"]["Label"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.quoteOrderRates": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        rates: components["schemas"]["ShippingRate"][];
                        cheapest_rate_id: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.resendReceipt": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        order: components["schemas"]["OrderFile"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.refundOrder": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The amount to refund. Default: everything that is left. */
                    amount_cents?: number | null;
                    reason?: string | null;
                };
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        refund: components["schemas"]["Refund"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.shipOrder": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    carrier: string;
                    tracking_number: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        order: components["schemas"]["OrderFile"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.cancelShipment": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        order: components["schemas"]["OrderFile"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.replaceShippingAddress": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    street1: string;
                    street2?: string | null;
                    city: string;
                    state?: string | null;
                    zip?: string | null;
                    country: string;
                    phone?: string | null;
                    email?: components["schemas"]["Email"] | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        order: components["schemas"]["OrderFile"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.correctTracking": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    /** @description The wrong one. */
                    tracking_number: string;
                    correction: {
                        carrier: string;
                        tracking_number: string;
                    } | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        order: components["schemas"]["OrderFile"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getOverview": {
        responses: {
            200: {
                content: {
                    "application/json": {
                        overview: components["schemas"]["Overview"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listPartnerApplications": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        applications: components["schemas"]["PartnerApplication"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listPartners": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        partners: components["schemas"]["ManagedPartner"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.savePartner": {
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                    name: string;
                    commission_percent?: number | null;
                    discount_percent?: number | null;
                    window?: string | null;
                    /** @description Apply the change only to this version; otherwise the request fails with `version_conflict`. */
                    version?: number | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        partner: components["schemas"]["ManagedPartner"];
                    };
                };
            };
            201: {
                content: {
                    "application/json": {
                        partner: components["schemas"]["ManagedPartner"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.deletePartner": {
        parameters: {
            path: {
                code: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.startSecretRotation": {
        responses: {
            201: {
                content: {
                    "application/json": {
                        rotation_id: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.confirmSecretRotation": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description The one-time code. Not needed by a member of the staff, whose session is verified. */
                    code?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        secret: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.exportPersonalData": {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                };
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        export: components["schemas"]["Export"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listProducts": {
        parameters: {
            query?: {
                status?: "draft" | "published";
                tag?: string;
                category?: string;
                /** @description A SKU, a slug, how a name begins, or words of a published product. */
                q?: string;
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        products: components["schemas"]["ManagedProduct"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.createProduct": {
        requestBody: {
            content: {
                "application/json": {
                    slug: string;
                    name: string;
                    description?: string | null;
                    category?: string | null;
                    tags?: string[] | null;
                    status?: ("draft" | "published") | null;
                    images?: {
                        /** Format: uri */
                        url: string;
                        alt?: string | null;
                        width?: number | null;
                        height?: number | null;
                    }[] | null;
                    purchase_types?: ("one_time" | "subscription")[] | null;
                    subscription_intervals?: ("month" | "quarter")[] | null;
                    variants: components["schemas"]["VariantInput"][];
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        product: components["schemas"]["ManagedProduct"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getProduct": {
        parameters: {
            path: {
                slug: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        product: components["schemas"]["ManagedProduct"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.replaceProduct": {
        parameters: {
            path: {
                slug: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    description?: string | null;
                    category?: string | null;
                    tags?: string[] | null;
                    status?: ("draft" | "published") | null;
                    images?: {
                        /** Format: uri */
                        url: string;
                        alt?: string | null;
                        width?: number | null;
                        height?: number | null;
                    }[] | null;
                    purchase_types?: ("one_time" | "subscription")[] | null;
                    subscription_intervals?: ("month" | "quarter")[] | null;
                    variants: components["schemas"]["VariantReplacement"][];
                    /** @description Apply the change only to this version; otherwise the request fails with `version_conflict`. */
                    version?: number | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        product: components["schemas"]["ManagedProduct"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.deleteProduct": {
        parameters: {
            path: {
                slug: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listPromoCodes": {
        parameters: {
            query?: {
                /** @description How the code begins, capitals or not. Those that are found are sorted by it. */
                q?: string;
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        promo_codes: components["schemas"]["PromoCode"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.createPromoCode": {
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                    type: "percent" | "fixed" | "free_shipping";
                    value?: number | null;
                    value_cents?: number | null;
                    min_subtotal_cents?: number | null;
                    usage_limit?: number | null;
                    per_customer_limit?: number | null;
                    starts_at?: components["schemas"]["Timestamp"] | null;
                    ends_at?: components["schemas"]["Timestamp"] | null;
                    products?: string[] | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        promo_code: components["schemas"]["PromoCode"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.replacePromoCode": {
        parameters: {
            path: {
                code: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    type: "percent" | "fixed" | "free_shipping";
                    value?: number | null;
                    value_cents?: number | null;
                    min_subtotal_cents?: number | null;
                    usage_limit?: number | null;
                    per_customer_limit?: number | null;
                    starts_at?: components["schemas"]["Timestamp"] | null;
                    ends_at?: components["schemas"]["Timestamp"] | null;
                    products?: string[] | null;
                    /** @description Apply the change only to this version; otherwise the request fails with `version_conflict`. */
                    version?: number | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        promo_code: components["schemas"]["PromoCode"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.deletePromoCode": {
        parameters: {
            path: {
                code: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getProviders": {
        responses: {
            200: {
                content: {
                    "application/json": {
                        providers: {
                            payments: components["schemas"]["PaymentAccount"] | null;
                            shipping: components["schemas"]["ShippingAccount"] | null;
                            second_shipping: components["schemas"]["SecondShippingAccount"] | null;
                        };
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.savePaymentProvider": {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    provider: "stripe";
                    /**
                     * @description Only `direct`, with the store's own keys, can sell. With `connect` no keys are stored, and checkout returns 503.
                     * @default direct
                     */
                    mode?: "direct" | "connect";
                    account_id?: string | null;
                    secret_key?: string | null;
                    publishable_key?: string | null;
                    /** @description The signing secret of the endpoint at the provider. */
                    webhook_secret?: string | null;
                    session_lifetime?: string | null;
                    /** @default false */
                    automatic_tax?: boolean;
                    /** @description The one-time password with which the owner confirms that stored credentials are replaced or removed: the id from …/confirmations, and the code from the email. Not needed by a member of the staff, whose session is verified. */
                    confirmation?: {
                        id: string;
                        code: string;
                    } | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        provider: components["schemas"]["PaymentAccount"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.requestPaymentConfirmation": {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    provider: "stripe";
                    /**
                     * @description Only `direct`, with the store's own keys, can sell. With `connect` no keys are stored, and checkout returns 503.
                     * @default direct
                     */
                    mode?: "direct" | "connect";
                    account_id?: string | null;
                    secret_key?: string | null;
                    publishable_key?: string | null;
                    /** @description The signing secret of the endpoint at the provider. */
                    webhook_secret?: string | null;
                    session_lifetime?: string | null;
                    /** @default false */
                    automatic_tax?: boolean;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        confirmation_id: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.saveSecondShippingProvider": {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    provider: "easypost";
                    api_key: string;
                    /** @description The one-time password with which the owner confirms that stored credentials are replaced or removed: the id from …/confirmations, and the code from the email. Not needed by a member of the staff, whose session is verified. */
                    confirmation?: {
                        id: string;
                        code: string;
                    } | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        provider: components["schemas"]["SecondShippingAccount"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.requestSecondShippingConfirmation": {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    provider: "easypost";
                    api_key: string;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        confirmation_id: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.saveShippingProvider": {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    provider: "shippo";
                    api_key?: string;
                    /** @description The token in the webhook URL that Shippo calls. Without one, webhooks are rejected. */
                    webhook_token?: string | null;
                    /** @description The secret that Shippo signs webhooks with, if its support enabled signatures. With one, unsigned webhooks are rejected. */
                    webhook_secret?: string | null;
                    /**
                     * @description Enabled carriers; empty: all carriers of the account.
                     * @default []
                     */
                    carriers?: string[];
                    origin: components["schemas"]["ShippingOrigin"];
                    parcel: components["schemas"]["ShippingBox"];
                    /** @description The most for a label that is not chosen by hand, in US dollars where parcels leave from the US, and otherwise in the store's currency. A label in another currency is above it. */
                    label_cost_cap_cents?: number | null;
                    /**
                     * @default [
                     *       "US"
                     *     ]
                     */
                    countries?: string[];
                    /** @default [] */
                    options?: components["schemas"]["ShippingOption"][];
                    /** @description Apply the change only to this version; otherwise the request fails with `version_conflict`. */
                    version?: number | null;
                    /** @description The one-time password with which the owner confirms that stored credentials are replaced or removed: the id from …/confirmations, and the code from the email. Not needed by a member of the staff, whose session is verified. */
                    confirmation?: {
                        id: string;
                        code: string;
                    } | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        provider: components["schemas"]["ShippingAccount"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.requestShippingConfirmation": {
        requestBody: {
            content: {
                "application/json": {
                    /** @constant */
                    provider: "shippo";
                    api_key?: string;
                    /** @description The token in the webhook URL that Shippo calls. Without one, webhooks are rejected. */
                    webhook_token?: string | null;
                    /** @description The secret that Shippo signs webhooks with, if its support enabled signatures. With one, unsigned webhooks are rejected. */
                    webhook_secret?: string | null;
                    /**
                     * @description Enabled carriers; empty: all carriers of the account.
                     * @default []
                     */
                    carriers?: string[];
                    origin: components["schemas"]["ShippingOrigin"];
                    parcel: components["schemas"]["ShippingBox"];
                    /** @description The most for a label that is not chosen by hand, in US dollars where parcels leave from the US, and otherwise in the store's currency. A label in another currency is above it. */
                    label_cost_cap_cents?: number | null;
                    /**
                     * @default [
                     *       "US"
                     *     ]
                     */
                    countries?: string[];
                    /** @default [] */
                    options?: components["schemas"]["ShippingOption"][];
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        confirmation_id: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.checkProvider": {
        parameters: {
            path: {
                kind: "payments" | "shipping" | "second-shipping";
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        ok: boolean;
                        detail: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getReminderSettings": {
        responses: {
            200: {
                content: {
                    "application/json": {
                        reminders: components["schemas"]["ReminderSettings"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.saveReminderSettings": {
        requestBody?: {
            content: {
                "application/json": {
                    enabled?: boolean;
                    steps?: string[];
                    quiet_hours?: string[] | null;
                    per_address?: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        reminders: components["schemas"]["ReminderSettings"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listReminders": {
        parameters: {
            query?: {
                email?: components["schemas"]["Email"];
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        reminders: components["schemas"]["ReminderDecision"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listReturns": {
        parameters: {
            query?: {
                status?: "requested" | "approved" | "rejected" | "received" | "refunded" | "closed";
                email?: components["schemas"]["Email"];
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        returns: components["schemas"]["Return"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.approveReturn": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A message for the shopper, sent with the email. */
                    note?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        return: components["schemas"]["Return"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.closeReturn": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A message for the shopper, sent with the email. */
                    note?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        return: components["schemas"]["Return"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.receiveReturn": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A message for the shopper, sent with the email. */
                    note?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        return: components["schemas"]["Return"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.refundReturn": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A message for the shopper, sent with the email. */
                    note?: string | null;
                    /** @description 0 if it was refunded in another way. */
                    amount_cents?: number | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        return: components["schemas"]["Return"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.rejectReturn": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** @description A message for the shopper, sent with the email. */
                    note?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        return: components["schemas"]["Return"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listReviews": {
        parameters: {
            query?: {
                status?: "pending" | "approved" | "rejected";
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        reviews: components["schemas"]["ManagedReview"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.approveReview": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        review: components["schemas"]["ManagedReview"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.rejectReview": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        review: components["schemas"]["ManagedReview"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.startTotp": {
        responses: {
            200: {
                content: {
                    "application/json": {
                        secret: string;
                        otpauth_url: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.removeTotp": {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.confirmTotp": {
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        recovery_codes: string[];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getSession": {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.signOut": {
        responses: {
            /** @description No Content */
            204: {
                content?: never;
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.verifySession": {
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.emailVerificationCode": {
        responses: {
            202: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listSessions": {
        parameters: {
            query?: {
                staff_id?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        sessions: components["schemas"]["StaffSession"][];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.revokeSession": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.signIn": {
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.requestSignInLink": {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                };
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listStaff": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        staff: components["schemas"]["Staff"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.inviteStaff": {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                    name: string;
                    role: "owner" | "manager" | "fulfilment" | "support" | "analyst";
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        staff: components["schemas"]["Staff"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.updateStaff": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    name?: string | null;
                    role?: ("owner" | "manager" | "fulfilment" | "support" | "analyst") | null;
                    /** @description Apply the change only to this version; otherwise the request fails with `version_conflict`. */
                    version?: number | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        staff: components["schemas"]["Staff"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.revokeStaff": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        staff: components["schemas"]["Staff"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.changeStock": {
        requestBody: {
            content: {
                "application/json": {
                    items: {
                        variant_id?: string;
                        sku?: string;
                        quantity?: number | null;
                        change?: number;
                        if_quantity?: number | null;
                    }[];
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        items: components["schemas"]["Stock"][];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listStockMovements": {
        parameters: {
            query: {
                variant_id: string;
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        movements: components["schemas"]["StockMovement"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getStore": {
        responses: {
            200: {
                content: {
                    "application/json": {
                        store: components["schemas"]["StoreSettings"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.saveStore": {
        requestBody: {
            content: {
                "application/json": {
                    name: string;
                    /** @default en-US */
                    locale?: string;
                    /** @default UTC */
                    timezone?: string;
                    /** Format: uri */
                    storefront_url: string;
                    /** @default /account/sign-in */
                    magic_link_path?: string;
                    /** @default /cart/restore */
                    restore_path?: string;
                    /**
                     * @default [
                     *       "*"
                     *     ]
                     */
                    allowed_origins?: string[];
                    /** @default 20000 */
                    refund_verification_above_cents?: number;
                    mail_from?: string | null;
                    theme?: {
                        [key: string]: unknown;
                    };
                    links?: {
                        [key: string]: unknown;
                    };
                    /** @description Apply the change only to this version; otherwise the request fails with `version_conflict`. */
                    version?: number | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        store: components["schemas"]["StoreSettings"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listSubscriptions": {
        parameters: {
            query?: {
                status?: "active" | "trialing" | "past_due" | "paused" | "canceled";
                email?: components["schemas"]["Email"];
                product_id?: string;
                variant_id?: string;
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        subscriptions: components["schemas"]["Subscription"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getSubscription": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.manageSubscription": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    action: "pause" | "resume" | "cancel" | "change_interval" | "change_address";
                    at_period_end?: (boolean | ("true" | "false")) | null;
                    subscription_interval?: ("month" | "quarter") | null;
                    shipping_address?: {
                        name: string;
                        street1: string;
                        street2?: string | null;
                        city: string;
                        state?: string | null;
                        zip?: string | null;
                        country: string;
                        phone?: string | null;
                        email?: components["schemas"]["Email"] | null;
                    } | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.reactivateSubscription": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listSuppressions": {
        parameters: {
            query?: {
                email?: components["schemas"]["Email"];
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        suppressions: components["schemas"]["Suppression"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.releaseSuppression": {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listWaitlist": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        waitlist: components["schemas"]["WaitlistEntry"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getWebhookDelivery": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        delivery: components["schemas"]["WebhookDelivery"];
                        attempts: components["schemas"]["WebhookAttempt"][];
                        /** @description As it is sent now, without the signature; null when the object no longer exists. An earlier attempt sent the `object_version` that it names. */
                        request: {
                            /** Format: uri */
                            url: string;
                            headers: {
                                [key: string]: string;
                            };
                            body: string;
                        } | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.redeliverWebhook": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        delivery: components["schemas"]["WebhookDelivery"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listWebhookEndpoints": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        webhook_endpoints: components["schemas"]["WebhookEndpoint"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.createWebhookEndpoint": {
        requestBody: {
            content: {
                "application/json": {
                    /** Format: uri */
                    url: string;
                    events: ("order.paid" | "order.shipped" | "order.payment_failed" | "order.expired" | "order.refunded" | "order.delivered" | "order.disputed" | "order.dispute_closed" | "order.updated" | "subscription.created" | "subscription.updated" | "subscription.canceled" | "label.purchased" | "label.needs_attention" | "label.voided" | "label.skipped" | "return.requested" | "return.updated" | "customer.erased" | "webhook.test" | "order.*" | "subscription.*" | "label.*" | "return.*" | "customer.*")[];
                    /** @description Maximum number of concurrent requests. */
                    concurrency?: number;
                    /** @description Maximum number of requests per second. No limit if omitted. */
                    rate_per_second?: number | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        webhook_endpoint: components["schemas"]["WebhookEndpoint"];
                        secret: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.getWebhookEndpoint": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        webhook_endpoint: components["schemas"]["WebhookEndpoint"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.deleteWebhookEndpoint": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.updateWebhookEndpoint": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    /** Format: uri */
                    url?: string;
                    events?: ("order.paid" | "order.shipped" | "order.payment_failed" | "order.expired" | "order.refunded" | "order.delivered" | "order.disputed" | "order.dispute_closed" | "order.updated" | "subscription.created" | "subscription.updated" | "subscription.canceled" | "label.purchased" | "label.needs_attention" | "label.voided" | "label.skipped" | "return.requested" | "return.updated" | "customer.erased" | "webhook.test" | "order.*" | "subscription.*" | "label.*" | "return.*" | "customer.*")[];
                    /** @description Maximum number of concurrent requests. */
                    concurrency?: number;
                    /** @description Maximum number of requests per second. No limit if omitted. */
                    rate_per_second?: number | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        webhook_endpoint: components["schemas"]["WebhookEndpoint"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listWebhookDeliveries": {
        parameters: {
            query?: {
                state?: "pending" | "delivered" | "failed" | "discarded";
                type?: "order.paid" | "order.shipped" | "order.payment_failed" | "order.expired" | "order.refunded" | "order.delivered" | "order.disputed" | "order.dispute_closed" | "order.updated" | "subscription.created" | "subscription.updated" | "subscription.canceled" | "label.purchased" | "label.needs_attention" | "label.voided" | "label.skipped" | "return.requested" | "return.updated" | "customer.erased" | "webhook.test";
                since?: components["schemas"]["Timestamp"];
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        deliveries: components["schemas"]["WebhookDelivery"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.disableWebhookEndpoint": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        webhook_endpoint: components["schemas"]["WebhookEndpoint"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.enableWebhookEndpoint": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        webhook_endpoint: components["schemas"]["WebhookEndpoint"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.recoverWebhookDeliveries": {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    since: components["schemas"]["Timestamp"];
                    until?: components["schemas"]["Timestamp"] | null;
                    only?: ("failed" | "all") | null;
                };
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        recovered: number;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.rotateWebhookSecret": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        secret: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.testWebhookEndpoint": {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        event_id: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listWebhookEventTypes": {
        responses: {
            200: {
                content: {
                    "application/json": {
                        event_types: {
                            type: "order.paid" | "order.shipped" | "order.payment_failed" | "order.expired" | "order.refunded" | "order.delivered" | "order.disputed" | "order.dispute_closed" | "order.updated" | "subscription.created" | "subscription.updated" | "subscription.canceled" | "label.purchased" | "label.needs_attention" | "label.voided" | "label.skipped" | "return.requested" | "return.updated" | "customer.erased" | "webhook.test";
                            description: string;
                            schema: unknown;
                            sample: unknown;
                        }[];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    "admin.listWholesaleInquiries": {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        wholesale_inquiries: components["schemas"]["WholesaleInquiry"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    sendAnalyticsEvents: {
        requestBody: {
            content: {
                "application/json": components["schemas"]["AnalyticsEvents"];
                "text/plain": components["schemas"]["AnalyticsEvents"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        accepted: number;
                        rejected: {
                            index: number;
                            code: string;
                            detail: string;
                        }[];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    createBillingPortalSession: {
        requestBody: {
            content: {
                "application/json": {
                    customer_email: components["schemas"]["Email"];
                    /** Format: uri */
                    return_url: string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        url: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    createCart: {
        requestBody?: {
            content: {
                "application/json": {
                    currency?: string | null;
                    session_id?: string | null;
                    customer_id?: string | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        cart: components["schemas"]["Cart"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    previewGiftCard: {
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                    /** @description In minor units, such as cents: 1999 for 19.99. */
                    orderTotal: number | string;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["GiftCardQuote"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    previewPromoCode: {
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                    /** @description In minor units, such as cents: 1999 for 19.99. */
                    subtotalCents: number | string;
                    customerEmail?: string | null;
                    /** @description The items of the cart, as the cart returns them. Without them, a code that is limited to some products is checked as if the whole subtotal were of those products. */
                    items?: {
                        productSlug: string;
                        /** @description In minor units, such as cents: 1999 for 19.99. */
                        lineTotalCents: number | string;
                    }[] | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["PromoQuote"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    restoreCart: {
        parameters: {
            query?: {
                token?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        saved_cart: components["schemas"]["SavedCart"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    restoreCartByPost: {
        parameters: {
            query?: {
                token?: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    token?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        saved_cart: components["schemas"]["SavedCart"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    saveCart: {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                    items: {
                        product_slug?: string | null;
                        variant_id?: string | null;
                        name?: string | null;
                        quantity: number | string;
                        unit_price_cents?: (number | string) | null;
                        price_cents?: (number | string) | null;
                        purchase_type?: ("one_time" | "subscription") | null;
                        subscription_interval?: ("month" | "quarter") | null;
                    }[];
                    consent?: (boolean | ("true" | "false")) | null;
                    session_id?: string | null;
                    cart_id?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        saved_cart_id: string;
                        expires_at: components["schemas"]["Timestamp"];
                        reminders: "scheduled" | "not_scheduled";
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getReminderSubscription: {
        parameters: {
            query?: {
                token?: string;
                confirm?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        status: "subscribed" | "unsubscribed";
                    };
                    "text/html": string;
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    unsubscribeFromReminders: {
        parameters: {
            query?: {
                token?: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    token?: string | null;
                };
                "application/x-www-form-urlencoded": {
                    token?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        status: "subscribed" | "unsubscribed";
                    };
                    "text/html": string;
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getCart: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        cart: components["schemas"]["Cart"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    addCartItem: {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    variantId?: string | null;
                    productId?: string | null;
                    quantity?: (number | string) | null;
                    unitPriceCents?: (number | string) | null;
                    purchaseType?: ("one_time" | "subscription") | null;
                    subscriptionInterval?: ("month" | "quarter") | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        cart: components["schemas"]["Cart"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    removeCartItem: {
        parameters: {
            path: {
                id: string;
                itemId: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        cart: components["schemas"]["Cart"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    updateCartItem: {
        parameters: {
            path: {
                id: string;
                itemId: string;
            };
        };
        requestBody?: {
            content: {
                "application/json": {
                    quantity?: (number | string) | null;
                    purchaseType?: ("one_time" | "subscription") | null;
                    subscriptionInterval?: ("month" | "quarter") | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        cart: components["schemas"]["Cart"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    createCheckoutSession: {
        requestBody: {
            content: {
                "application/json": {
                    items: {
                        product_slug: string;
                        quantity: number;
                        variant_id?: string | null;
                        purchase_type?: ("one_time" | "subscription") | null;
                        subscription_interval?: string | null;
                    }[];
                    return_url?: components["schemas"]["ReturnUrl"] | null;
                    cancel_url?: components["schemas"]["ReturnUrl"] | null;
                    customer_email?: components["schemas"]["Email"] | null;
                    promo_code?: string | null;
                    gift_card_code?: string | null;
                    /** @description The cart of this checkout: a new session of the same cart replaces the older one. The cart is closed once the order is paid. `items` alone decides what is bought, so a closed or unknown cart is no error. */
                    cart_id?: string | null;
                    /** @description The partner who referred the shopper. The discount of the partner applies unless `promo_code` is given: the two are not combined. Of a subscription it reduces the first payment. An unknown code is ignored. */
                    partner_code?: string | null;
                    /** @description Any JSON of yours: at most 50 keys of 40 characters with values of 500 characters, 8 KB in total. */
                    metadata?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CheckoutSession"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getCheckoutStatus: {
        parameters: {
            path: {
                orderId: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CheckoutStatus"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    listActiveAnnouncements: {
        parameters: {
            query?: {
                limit?: number;
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        entries: components["schemas"]["ContentEntry"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    listEntries: {
        parameters: {
            query?: {
                tag?: string;
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
            path: {
                type: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        entries: components["schemas"]["ContentEntry"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getEntry: {
        parameters: {
            path: {
                type: string;
                slug: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        entry: components["schemas"]["ContentEntry"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getCustomerPortal: {
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CustomerPortal"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    requestCustomerPortalLink: {
        requestBody: {
            content: {
                "application/json": {
                    customer_email: components["schemas"]["Email"];
                    /** @description The page of the storefront to continue on. A URL outside the storefront is ignored. */
                    return_url?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    cancelSubscription: {
        requestBody: {
            content: {
                "application/json": {
                    subscription_id: string;
                    at_period_end?: (boolean | ("true" | "false")) | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    listCustomerOrders: {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        orders: components["schemas"]["Order"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getCustomerOrder: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        order: components["schemas"]["Order"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    listCustomerReturns: {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        returns: components["schemas"]["Return"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    createCustomerReturn: {
        requestBody: {
            content: {
                "application/json": {
                    order_number: string;
                    items: {
                        order_item_id?: string | null;
                        variant_id?: string | null;
                        quantity: number | string;
                        reason?: string | null;
                        note?: string | null;
                    }[];
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        return: components["schemas"]["Return"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    listCustomerSubscriptions: {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        subscriptions: components["schemas"]["Subscription"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    consumeMagicLink: {
        requestBody: {
            content: {
                "application/json": {
                    token: string;
                    code_verifier?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    requestMagicLink: {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                    redirect_path?: string | null;
                    code_challenge?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getCustomer: {
        responses: {
            200: {
                content: {
                    "application/json": {
                        customer: components["schemas"]["Customer"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    refreshSession: {
        requestBody?: {
            content: {
                "application/json": {
                    /** @description One that is badly formed gets 401 `invalid_session`, as an unknown one. */
                    refresh_token?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["Session"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    signOut: {
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    downloadExport: {
        parameters: {
            query: {
                token: string;
            };
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "text/csv": string;
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    completeIntegrationConsent: {
        parameters: {
            query: {
                state: string;
            };
            path: {
                provider: string;
            };
        };
        responses: {
            /** @description Found */
            302: {
                content?: never;
            };
            default: components["responses"]["Failed"];
        };
    };
    receiveIntegrationCall: {
        parameters: {
            path: {
                provider: string;
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    listStock: {
        parameters: {
            query: {
                variant_ids: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        variants: components["schemas"]["VariantStock"][];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getProductStock: {
        parameters: {
            path: {
                slug: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        product_slug: string;
                        variants: components["schemas"]["VariantStock"][];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    createLead: {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                    /** @default storefront */
                    source?: string | null;
                    name?: string | null;
                    consent?: (boolean | ("true" | "false")) | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        lead_id: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    submitQuiz: {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                    answers?: {
                        [key: string]: unknown;
                    } | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        lead_id: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    joinWaitlist: {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                    product_slug?: string | null;
                    variant_id?: string | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        lead_id: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    createWholesaleLead: {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                    company?: string | null;
                    phone?: string | null;
                    message?: string | null;
                    expected_volume?: (string | number) | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        lead_id: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    lookUpOrder: {
        parameters: {
            query: {
                order_number: string;
                email: components["schemas"]["Email"];
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        order: components["schemas"]["Order"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getOrder: {
        parameters: {
            query?: {
                email?: string;
            };
            path: {
                orderId: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        order: components["schemas"]["Order"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    applyAsPartner: {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                    name?: string | null;
                    website?: string | null;
                    message?: string | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        application: {
                            id: string;
                            status: "pending" | "accepted" | "declined";
                        };
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    trackReferral: {
        requestBody: {
            content: {
                "application/json": {
                    code: string;
                    session_id?: string | null;
                    landing_url?: string | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        /** @constant */
                        ok: true;
                        referral_id: string;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getPartner: {
        parameters: {
            path: {
                code: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        partner: components["schemas"]["Partner"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    listProducts: {
        parameters: {
            query?: {
                /** @description Words that the name or the description must contain, or that are a SKU: all of them. */
                q?: string;
                category?: string;
                tag?: string;
                sort?: "newest" | "price_asc" | "price_desc" | "name";
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        products: components["schemas"]["Product"][];
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getProduct: {
        parameters: {
            path: {
                slug: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        product: components["schemas"]["ProductDetail"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    listProductImages: {
        parameters: {
            path: {
                slug: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        images: components["schemas"]["Image"][];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    listProductReviews: {
        parameters: {
            query?: {
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
            path: {
                slug: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        reviews: {
                            id: string;
                            rating: number;
                            title: string | null;
                            body: string | null;
                            author_name: string;
                            verified_purchase: boolean;
                            created_at: components["schemas"]["Timestamp"];
                        }[];
                        summary: {
                            count: number;
                            average: number;
                        };
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    createProductReview: {
        parameters: {
            path: {
                slug: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    rating: number | string;
                    title?: string | null;
                    body?: string | null;
                    author_name?: string | null;
                    email?: components["schemas"]["Email"] | null;
                };
            };
        };
        responses: {
            202: {
                content: {
                    "application/json": {
                        review: {
                            id: string;
                            /** @constant */
                            status: "pending";
                        };
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    createReturn: {
        requestBody: {
            content: {
                "application/json": {
                    order_number: string;
                    items: {
                        order_item_id?: string | null;
                        variant_id?: string | null;
                        quantity: number | string;
                        reason?: string | null;
                        note?: string | null;
                    }[];
                    email: components["schemas"]["Email"];
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        return: components["schemas"]["Return"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    search: {
        parameters: {
            query: {
                q: string;
                type?: "product" | "content" | "all";
                /** @description The `cursor` of the previous page, to get the next one. */
                cursor?: string;
                /** @description The page size. */
                limit?: number;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        results: components["schemas"]["SearchResult"][];
                        mode: "semantic" | "text";
                        degraded: boolean;
                        cursor: string | null;
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    quoteShippingRates: {
        requestBody: {
            content: {
                "application/json": {
                    ship_to: {
                        /** @description Required for the US. Some countries, such as Hong Kong, have none. */
                        zip?: string | null;
                        country: string;
                    };
                    parcel: {
                        /** @description In ounces, at most 2400 (150 pounds): freight is not available. */
                        weight_oz: number | string;
                    };
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        rates: components["schemas"]["ShippingRate"][];
                        cheapest_rate_id: string | null;
                        /** @description Whether the rates come from the cache: they are cached for ten minutes. */
                        cached: boolean;
                        expires_at: components["schemas"]["Timestamp"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getStorefront: {
        responses: {
            200: {
                content: {
                    "application/json": {
                        storefront: components["schemas"]["Storefront"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    createGiftCheckoutSession: {
        requestBody: {
            content: {
                "application/json": {
                    product_slug: string;
                    variant_id: string;
                    months: number | string;
                    recipient_email: components["schemas"]["Email"];
                    recipient_name?: string | null;
                    message?: string | null;
                    return_url?: components["schemas"]["ReturnUrl"] | null;
                    cancel_url?: components["schemas"]["ReturnUrl"] | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": components["schemas"]["CheckoutSession"];
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    getSubscription: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    manageSubscription: {
        parameters: {
            path: {
                id: string;
            };
        };
        requestBody: {
            content: {
                "application/json": {
                    action: "pause" | "resume" | "cancel" | "change_interval" | "change_address";
                    at_period_end?: (boolean | ("true" | "false")) | null;
                    subscription_interval?: ("month" | "quarter") | null;
                    shipping_address?: {
                        name: string;
                        street1: string;
                        street2?: string | null;
                        city: string;
                        state?: string | null;
                        zip?: string | null;
                        country: string;
                        phone?: string | null;
                        email?: components["schemas"]["Email"] | null;
                    } | null;
                };
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    reactivateSubscription: {
        parameters: {
            path: {
                id: string;
            };
        };
        responses: {
            200: {
                content: {
                    "application/json": {
                        subscription: components["schemas"]["Subscription"];
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    createWholesaleInquiry: {
        requestBody: {
            content: {
                "application/json": {
                    email: components["schemas"]["Email"];
                    company?: string | null;
                    phone?: string | null;
                    message?: string | null;
                    expected_volume?: (string | number) | null;
                };
            };
        };
        responses: {
            201: {
                content: {
                    "application/json": {
                        inquiry: {
                            id: string;
                            status: "new" | "answered" | "closed";
                        };
                    };
                };
            };
            default: components["responses"]["Failed"];
        };
    };
    onOrderPaid: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "order.paid";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Order"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onOrderShipped: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "order.shipped";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Order"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onOrderPaymentFailed: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "order.payment_failed";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Order"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onOrderExpired: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "order.expired";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Order"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onOrderRefunded: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "order.refunded";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Order"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onOrderDelivered: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "order.delivered";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Order"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onOrderDisputed: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "order.disputed";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Order"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onOrderDisputeClosed: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "order.dispute_closed";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Order"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onOrderUpdated: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "order.updated";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Order"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onSubscriptionCreated: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "subscription.created";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Subscription"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onSubscriptionUpdated: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "subscription.updated";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Subscription"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onSubscriptionCanceled: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "subscription.canceled";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Subscription"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onLabelPurchased: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "label.purchased";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Label"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onLabelNeedsAttention: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "label.needs_attention";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Label"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onLabelVoided: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "label.voided";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Label"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onLabelSkipped: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "label.skipped";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Label"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onReturnRequested: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "return.requested";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Return"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onReturnUpdated: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "return.updated";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["Return"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onCustomerErased: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "customer.erased";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["ErasedCustomer"];
                        object_version: number;
                    };
                };
            };
        };
    };
    onWebhookTest: {
        requestBody: {
            content: {
                "application/json": {
                    id: string;
                    /** @constant */
                    type: "webhook.test";
                    timestamp: components["schemas"]["Timestamp"];
                    /** @constant */
                    api_version: "2026-11-20";
                    tenant: string;
                    livemode: boolean;
                    data: {
                        object: components["schemas"]["WebhookEndpoint"];
                        object_version: number;
                    };
                };
            };
        };
    };
}
